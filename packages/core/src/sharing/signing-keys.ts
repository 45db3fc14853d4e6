/** The keys a person signs packages with, and the keys of others that they trust. Private keys never leave the store. */
import { generateKeyPairSync } from 'node:crypto';
import {
  type SigningKeys,
  signerKeySchema,
  signingKeysSchema,
  toIdentityKey,
} from '@crewagent/protocol/package-signature';
import { CrewError } from '../base/crew-error.ts';
import { toFingerprint, toPublicKey } from '../base/signatures.ts';
import { changeSharing, readSharing } from '../bmad/signing/signers.ts';
import type { UserStore } from '../store/store.ts';
import { parseStored, type StoredDocument } from '../store/stored-document.ts';

type KeyStore = Pick<UserStore, 'signingKeys' | 'packages'>;

export interface OwnKey {
  readonly name: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly createdAt: string;
}

export interface KnownSigner {
  readonly key: string;
  readonly fingerprint: string;
  /** Of a key that the person trusts. */
  readonly name: string | undefined;
  /** Packages that it signed, by name. */
  readonly packages: readonly string[];
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u;

export async function createSigningKey(name: string, { signingKeys }: KeyStore, now: Date): Promise<OwnKey> {
  requireName(name);
  const privateKey = generateKeyPairSync('ed25519')
    .privateKey.export({ format: 'der', type: 'pkcs8' })
    .toString('base64');
  const created = { publicKey: toPublicKey(privateKey), privateKey, createdAt: now.toISOString() };
  await signingKeys.change(async (write) => {
    const { keys } = await readKeys(signingKeys);
    if (Object.hasOwn(keys, name))
      throw new CrewError('TARGET_EXISTS', `You have a key "${name}" already. Choose another name.`);
    await write({ schemaVersion: 1, keys: { ...keys, [name]: created } } satisfies SigningKeys);
  });
  return toOwnKey([name, created]);
}

export async function listSigningKeys({ signingKeys }: Pick<KeyStore, 'signingKeys'>): Promise<OwnKey[]> {
  return Object.entries((await readKeys(signingKeys)).keys).map(toOwnKey);
}

/** Signers of installed packages and trusted keys. */
export async function listSigners({ packages }: Pick<KeyStore, 'packages'>): Promise<KnownSigner[]> {
  const { signers, trusted } = await readSharing(packages.sharing);
  const keys = new Set([...Object.keys(trusted), ...Object.values(signers).map(({ key }) => key)]);
  return [...keys].map((key) => ({
    key,
    fingerprint: toFingerprint(key),
    name: trusted[key]?.name,
    packages: Object.entries(signers).flatMap(([name, signer]) => (signer.key === key ? [name] : [])),
  }));
}

/** `text`: a key as "crewagent keys export" prints it, `sigstore:ISSUER IDENTITY`, or the fingerprint of a signer that is known already. */
export async function trustKey(
  text: string,
  name: string,
  { packages }: KeyStore,
  now: Date,
): Promise<KnownSigner> {
  requireName(name);
  const known = (await listSigners({ packages })).find(({ fingerprint }) => fingerprint === text);
  const key = known?.key ?? signerKeySchema.safeParse(toIdentityKey(text)).data;
  if (key === undefined)
    throw new CrewError(
      'USAGE',
      'This is neither a public key, a Sigstore identity nor the fingerprint of a signer. The owner of a key prints it with: crewagent keys export',
    );
  await changeSharing(packages.sharing, ({ trusted }) => ({
    trusted: { ...trusted, [key]: { name, since: now.toISOString() } },
  }));
  return { key, fingerprint: toFingerprint(key), name, packages: known?.packages ?? [] };
}

/** Forgets a signer: the next package of its names is as if there had been none before. Returns how many entries are gone. */
export async function forgetSigner(ref: string, { packages }: KeyStore): Promise<KnownSigner[]> {
  const matching = (await listSigners({ packages })).filter(({ key, fingerprint, name, packages: names }) =>
    [key, fingerprint, name, ...names].includes(ref),
  );
  if (matching.length === 0)
    throw new CrewError(
      'USAGE',
      `No signer, trusted key or signed package is called "${ref}". See: crewagent keys list`,
    );
  const gone = new Set(matching.map(({ key }) => key));
  await changeSharing(packages.sharing, ({ signers, trusted }) => ({
    signers: Object.fromEntries(Object.entries(signers).filter(([, { key }]) => !gone.has(key))),
    trusted: Object.fromEntries(Object.entries(trusted).filter(([key]) => !gone.has(key))),
  }));
  return matching;
}

/**
 * Sets the trust root of Sigstore, a `trusted_root.json`; undefined for that of the public Sigstore. Throws USAGE for anything else.
 */
export async function setTrustRoot(
  text: string | undefined,
  { packages }: Pick<KeyStore, 'packages'>,
): Promise<void> {
  const { parseTrustRoot } = await import('../sigstore/verify-bundle.ts');
  const sigstoreRoot = text === undefined ? undefined : parseTrustRoot(text);
  await changeSharing(packages.sharing, () => ({ sigstoreRoot }));
}

/** The named key, else the only one. Throws USAGE if there is none. `choice`: how a person names one. */
export async function findOwnKey(
  name: string | undefined,
  { signingKeys }: Pick<KeyStore, 'signingKeys'>,
  choice = '--key NAME',
): Promise<OwnKey & { readonly privateKey: string }> {
  const { keys } = await readKeys(signingKeys);
  const names = Object.keys(keys);
  if (name === undefined && names.length > 1)
    throw new CrewError('USAGE', `You have several keys: ${names.join(', ')}. Choose one with: ${choice}`);
  const wanted = name ?? names[0];
  const found = wanted !== undefined && Object.hasOwn(keys, wanted) ? keys[wanted] : undefined;
  if (wanted === undefined || !found)
    throw new CrewError(
      'USAGE',
      `You have no key${wanted === undefined ? '' : ` "${wanted}"`}. Create it with: crewagent keys create ${wanted ?? 'NAME'}`,
    );
  return { ...toOwnKey([wanted, found]), privateKey: found.privateKey };
}

function requireName(name: string): void {
  if (!NAME.test(name))
    throw new CrewError(
      'USAGE',
      'This cannot be the name of a key. Use at most 64 letters, digits, spaces and dashes, such as "Ada".',
    );
}

function toOwnKey([name, { publicKey: key, createdAt }]: [string, SigningKeys['keys'][string]]): OwnKey {
  return { name, key, fingerprint: toFingerprint(key), createdAt };
}

async function readKeys(document: StoredDocument): Promise<SigningKeys> {
  const value = await document.read();
  if (value === undefined) return { schemaVersion: 1, keys: {} };
  // No detail: a private key may be anywhere in an invalid file.
  return parseStored(signingKeysSchema, value, document.label, () => 'it does not have the expected format');
}
