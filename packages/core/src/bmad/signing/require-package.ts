/** Compares a package with the policies of this machine, when it is installed and whenever it is loaded for a run. */
import type { PackageSignature } from '@crewagent/protocol/package-signature';
import { isSignatureOf } from '../../base/signatures.ts';
import type { PolicySource } from '../../policy/policy-source.ts';
import { requireAllowed } from '../../policy/restrict.ts';

interface JudgedPackage {
  readonly name: string;
  readonly hash: string;
  readonly signature: PackageSignature | undefined;
}

/** Throws POLICY_FORBIDS. */
export async function requirePackage(
  policy: Pick<PolicySource, 'read'>,
  { name, hash, signature }: JudgedPackage,
): Promise<void> {
  const policies = await policy.read();
  if (policies.length === 0) return;
  const signer = signature && isSignatureOf(hash, signature) ? signature.key : undefined;
  requireAllowed(policies, { kind: 'package', name, sha256: hash, signer });
}
