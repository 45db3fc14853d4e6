/**
 * Compares the signer of a package with the one before: trust on first use. A person accepts another signer, or trusts keys
 * beforehand. Packages without a signature can be installed as long as no earlier one of their name was signed.
 */
import {
  type PackageSignature,
  type Sharing,
  type Signer,
  sharingSchema,
} from '@crewagent/protocol/package-signature';
import { CrewError } from '../../base/crew-error.ts';
import { isSignatureOf, toFingerprint } from '../../base/signatures.ts';
import type { PackageStore } from '../../store/package-store.ts';
import { parseStored, type StoredDocument } from '../../store/stored-document.ts';

export async function readSharing(document: StoredDocument): Promise<Sharing> {
  const value = await document.read();
  if (value === undefined) return { schemaVersion: 1, signers: {}, trusted: {}, indexes: [] };
  return parseStored(sharingSchema, value, document.label);
}

/** `change` returns what differs, or undefined for nothing. */
export async function changeSharing(
  document: StoredDocument,
  change: (sharing: Sharing) => Partial<Sharing> | undefined,
): Promise<void> {
  await document.change(async (write) => {
    const sharing = await readSharing(document);
    const changed = change(sharing);
    if (changed) await write({ ...sharing, ...changed } satisfies Sharing);
  });
}

interface SignedPackage {
  readonly name: string;
  readonly hash: string;
  readonly signature: PackageSignature | undefined;
  /** Of a valid Sigstore bundle. */
  readonly identity?: string | undefined;
}

/** Throws SIGNATURE_INVALID. */
export async function findSigner(
  { name, hash, signature, identity }: SignedPackage,
  packages: Pick<PackageStore, 'sharing'>,
): Promise<Signer> {
  const { signers, trusted } = await readSharing(packages.sharing);
  const before = Object.hasOwn(signers, name) ? signers[name]?.key : undefined;
  const earlier = before === undefined ? {} : { before: toFingerprint(before) };
  if (signature && !isSignatureOf(hash, signature))
    throw new CrewError(
      'SIGNATURE_INVALID',
      `The signature of "${name}" is not one of this package: it was changed after it was signed. Get it again from its author.`,
    );
  // Whoever is known comes first: an author may begin to sign in another way, too.
  const keys = [identity, signature?.key].filter((one) => one !== undefined);
  const key = keys.find((one) => one === before) ?? keys.find((one) => trusted[one]) ?? keys[0];
  if (key === undefined)
    return before === undefined ? { status: 'unsigned' } : { status: 'missing', ...earlier };
  const signer = { key, fingerprint: toFingerprint(key), ...(trusted[key] && { name: trusted[key].name }) };
  if (key === before) return { status: trusted[key] ? 'trusted' : 'known', ...signer };
  if (trusted[key]) return { status: 'trusted', ...signer };
  return before === undefined ? { status: 'new', ...signer } : { status: 'changed', ...signer, ...earlier };
}

/** Throws SIGNER_CHANGED, with the signer, unless a person accepts it. */
export function requireAccepted(name: string, signer: Signer, isAccepted: boolean): void {
  const { status, fingerprint = '', before = '' } = signer;
  if (isAccepted || (status !== 'changed' && status !== 'missing')) return;
  const what =
    status === 'changed'
      ? `is signed by another signer than before: ${fingerprint} instead of ${before}`
      : `is not signed, and an earlier version was signed by ${before}`;
  throw new CrewError(
    'SIGNER_CHANGED',
    `"${name}" ${what}. Ask its author whether that is right. If it is, accept it: with --accept-signer, or in the dialog of the page.`,
    { details: { signer } },
  );
}

/** After the installation: the signer to compare the next version with. An accepted package without a signature ends the comparison. */
export async function recordSigner(
  name: string,
  { key, status }: Signer,
  packages: Pick<PackageStore, 'sharing'>,
): Promise<void> {
  if (status === 'unsigned' || status === 'known') return;
  await changeSharing(packages.sharing, ({ signers }) => {
    const others = Object.entries(signers).filter(([other]) => other !== name);
    if (key !== undefined && signers[name]?.key === key) return undefined;
    const added = key === undefined ? [] : [[name, { key, since: new Date().toISOString() }] as const];
    return { signers: Object.fromEntries([...others, ...added]) };
  });
}
