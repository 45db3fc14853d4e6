/**
 * Reads one policy. Anything wrong with it, or with its signature, is an error, so that nothing runs without the policy that
 * somebody placed.
 */
import { readFile } from 'node:fs/promises';
import { publicKeySchema } from '@crewagent/protocol/package-signature';
import { policySchema } from '@crewagent/protocol/policy';
import { CrewError } from '../base/crew-error.ts';
import { errnoSentence, ifPresent } from '../base/errno.ts';
import { sha256Of } from '../base/sha256.ts';
import { isSignatureOf, toFingerprint } from '../base/signatures.ts';
import type { LoadedPolicy } from './loaded-policy.ts';

const MAX_BYTES = 1_048_576;

/** Of a policy: the key that it must be signed with, and the signature beside it. */
export interface PolicySignature {
  readonly key: string;
  readonly signature: string;
}

/** Undefined if neither a key nor a signature says that the policy is signed. */
export async function readSignature(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<PolicySignature | undefined> {
  const read = (file: string): Promise<string | undefined> =>
    ifPresent(readFile(file, 'utf8')).catch((error: unknown) => {
      throw unreadable(file, error);
    });
  const [signature, beside] = await Promise.all([read(`${path}.sig`), read(`${path}.pub`)]);
  const key = (env.CREWAGENT_POLICY_KEY || beside)?.trim();
  if (signature === undefined && key === undefined) return undefined;
  if (key === undefined)
    throw invalid(path, `it has a signature, and no key to verify it: "${path}.pub" is missing`);
  if (!publicKeySchema.safeParse(key).success)
    throw invalid(path, 'the key that it must be signed with is not a public key');
  if (signature === undefined)
    throw invalid(path, `it must be signed, and its signature "${path}.sig" is missing`);
  return { key, signature: signature.trim() };
}

/** Throws POLICY_INVALID. */
export function parsePolicy(bytes: Buffer, path: string, signed: PolicySignature | undefined): LoadedPolicy {
  if (signed && !isSignatureOf(sha256Of(bytes), signed, 'policy'))
    throw invalid(
      path,
      'its signature is not one of this file: the policy was changed after it was signed, or signed by another key',
    );
  if (bytes.length > MAX_BYTES) throw invalid(path, 'it is larger than 1 MiB');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    throw invalid(path, 'it is not JSON');
  }
  const parsed = policySchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.map(String).join('.');
    throw invalid(path, `${field ? `"${field}": ` : ''}${issue?.message ?? 'it is not a policy'}`);
  }
  return { policy: parsed.data, place: path, signedBy: signed && toFingerprint(signed.key) };
}

export function unreadable(path: string, error: unknown): CrewError {
  return invalid(path, `it cannot be read: ${errnoSentence(error) ?? 'it is not a file'}`);
}

function invalid(path: string, why: string): CrewError {
  return new CrewError(
    'POLICY_INVALID',
    `The policy of this machine cannot be used, so nothing runs: ${why}. Ask whoever manages "${path}" to repair it; "crewagent policy check" shows what is wrong.`,
    { details: { place: path } },
  );
}
