/** Writes the signature of a policy, and the public key that verifies it, beside the policy. */
import { readFile } from 'node:fs/promises';
import { replaceFile } from '../base/durable-files.ts';
import { withDiskErrors } from '../base/errno.ts';
import { sha256Of } from '../base/sha256.ts';
import { signHash } from '../base/signatures.ts';
import { parsePolicy } from './parse-policy.ts';

/** Throws POLICY_INVALID for a policy that could not be used. */
export async function signPolicy(path: string, privateKey: string): Promise<void> {
  await withDiskErrors(`Could not sign "${path}"`, async () => {
    const bytes = await readFile(path);
    parsePolicy(bytes, path, undefined);
    const { key, signature } = signHash(sha256Of(bytes), privateKey, 'policy');
    await replaceFile(`${path}.sig`, `${signature}\n`, 0o644);
    await replaceFile(`${path}.pub`, `${key}\n`, 0o644);
  });
}
