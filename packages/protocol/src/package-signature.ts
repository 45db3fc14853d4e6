/**
 * Signatures of packages: Ed25519 over the hash of the package, or a Sigstore bundle beside it. A signature says that the owner of a key published these bytes; who
 * that is, a person decides (trust on first use, or a key that they trust).
 */
import { nonEmptySchema } from './scalars.ts';
import * as z from './zod.ts';

/** 32 bytes in base64. */
export const publicKeySchema = z.string().check(z.regex(/^[A-Za-z0-9+/]{43}=$/));

/** Who signed with Sigstore, as its certificate says: `sigstore:ISSUER IDENTITY`. It takes the place of a key. */
export const identityKeySchema = z
  .string()
  .check(z.regex(/^sigstore:https?:\/\/[\x21-\x7e]{1,300} [\x21-\x7e]{1,500}$/));

/**
 * A workflow is the same for every release: its certificate names the tag that it ran for, and any tag takes its place. A branch stays.
 */
export function toIdentityKey(key: string): string {
  return key.replace(/^(sigstore:\S+ https:\/\/\S+@refs\/tags\/)\S+$/, '$1*');
}

export const signerKeySchema = z.union([publicKeySchema, identityKeySchema]);

export const packageSignatureSchema = z.strictObject({
  key: publicKeySchema,
  signature: z.string().check(z.regex(/^[A-Za-z0-9+/]{86}==$/)),
});
export type PackageSignature = z.infer<typeof packageSignatureSchema>;

/** Who signed a package, compared with who signed it before. */
export const signerSchema = z.strictObject({
  /**
   * `new`: nothing of this name was installed from a signer before. `known`: the same key as before. `trusted`: a key that the person
   * trusts. `changed`: another key than before. `missing`: it was signed before, and now it is not.
   */
  status: z.enum(['unsigned', 'new', 'known', 'trusted', 'changed', 'missing']),
  key: z.optional(signerKeySchema),
  /** Short form of the key, or the identity, for people to compare. */
  fingerprint: z.optional(z.string()),
  /** That the person gave a trusted key. */
  name: z.optional(z.string()),
  /** Fingerprint of the key that signed it before. */
  before: z.optional(z.string()),
});
export type Signer = z.infer<typeof signerSchema>;

/** `sharing.json` of the store. */
export const sharingSchema = z.strictObject({
  schemaVersion: z.literal(1),
  /** By name of the package: the key that signed it first, or that a person accepted since. */
  signers: z.record(z.string(), z.strictObject({ key: signerKeySchema, since: z.string() })),
  /** By key. */
  trusted: z.record(signerKeySchema, z.strictObject({ name: nonEmptySchema, since: z.string() })),
  /** Addresses or paths of indexes, in the order in which they are asked. */
  indexes: z.array(nonEmptySchema),
  /** Trust root of Sigstore (`trusted_root.json`) in place of the public one. */
  sigstoreRoot: z.optional(z.record(z.string(), z.unknown())),
});
export type Sharing = z.infer<typeof sharingSchema>;

/** `signing-keys.json` of the store, by name. */
export const signingKeysSchema = z.strictObject({
  schemaVersion: z.literal(1),
  keys: z.record(
    z.string(),
    z.strictObject({
      publicKey: publicKeySchema,
      /** PKCS #8 in base64. */
      privateKey: nonEmptySchema,
      createdAt: z.string(),
    }),
  ),
});
export type SigningKeys = z.infer<typeof signingKeysSchema>;
