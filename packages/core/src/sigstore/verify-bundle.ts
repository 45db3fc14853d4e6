/**
 * Verifies a Sigstore bundle without a network: the certificate leads to an authority of the trust root, was valid when the
 * transparency log recorded the signature, the log has the entry, and what was signed are the bytes of the archive.
 */
import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto';
import { parseObject } from '@crewagent/protocol/json-object';
import { identityKeySchema, toIdentityKey } from '@crewagent/protocol/package-signature';
import { type Bundle, bundleFromJSON, type SerializedBundle } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, VerificationError, Verifier } from '@sigstore/verify';
import { CrewError } from '../base/crew-error.ts';
import publicRoot from './public-root.json' with { type: 'json' };

type Root = Readonly<Record<string, unknown>>;

/** The signer as `sigstore:ISSUER IDENTITY`. `root`: a trust root in place of that of the public Sigstore. */
export function verifyBundle(text: string, archive: Buffer, root: Root = publicRoot): string {
  try {
    const bundle = parseBundle(text);
    requireSubject(bundle, archive);
    const material = toTrustMaterial(TrustedRoot.fromJSON(root));
    // A private authority may have no log of certificates; a log of signatures is always required.
    const verifier = new Verifier(material, {
      ctlogThreshold: material.ctlogs.length > 0 ? 1 : 0,
      tlogThreshold: 1,
      timestampThreshold: 1,
    });
    const { identity } = verifier.verify(toSignedEntity(bundle, archive));
    const key = `sigstore:${identity?.extensions?.issuer ?? ''} ${identity?.subjectAlternativeName ?? ''}`;
    const parsed = identityKeySchema.safeParse(toIdentityKey(key));
    if (parsed.success) return parsed.data;
    throw new Rejected('its certificate names nobody');
  } catch (cause) {
    // Whatever a hostile bundle makes the parsers throw, it is not valid.
    throw new CrewError(
      'SIGSTORE_INVALID',
      `The Sigstore bundle of the package is not valid: ${toReason(cause)}. Get both again from the author.`,
      { cause },
    );
  }
}

/** Throws USAGE unless it is a trust root with an authority and a log. */
export function parseTrustRoot(text: string): Root {
  const root = parseObject(text);
  try {
    const material = root && toTrustMaterial(TrustedRoot.fromJSON(root));
    const isComplete = material && material.certificateAuthorities.length > 0 && material.tlogs.length > 0;
    if (isComplete && material.certificateAuthorities.every(({ certChain }) => certChain.length > 0))
      return root;
  } catch {
    // Reported below.
  }
  throw new CrewError(
    'USAGE',
    'This is no trust root of Sigstore: a trusted_root.json with a certificate authority and a transparency log is expected.',
  );
}

class Rejected extends Error {}

function parseBundle(text: string): Bundle {
  const value = parseObject(text);
  if (!value) throw new Rejected('it is not JSON');
  const bundle = bundleFromJSON(value as unknown as SerializedBundle);
  const { content, tlogEntries } = bundle.verificationMaterial;
  for (const { inclusionProof } of tlogEntries) requireNames(inclusionProof?.checkpoint?.envelope ?? '');
  // The library reads certificates that are not well-formed, too.
  if (content.$case === 'certificate') new X509Certificate(content.certificate.rawBytes);
  if (content.$case === 'x509CertificateChain')
    for (const { rawBytes } of content.x509CertificateChain.certificates) new X509Certificate(rawBytes);
  return bundle;
}

/** The library uses the names in a checkpoint as regular expressions. */
function requireNames(checkpoint: string): void {
  for (const [, name = ''] of checkpoint.matchAll(/\u2014 (\S+)/g))
    if (!/^[\w./:-]{1,200}$/.test(name)) throw new Rejected('its entry in the log is damaged');
}

/** Of an attestation, only the statement is signed: its subject must be this archive. */
function requireSubject({ content }: Bundle, archive: Buffer): void {
  const digestOf = (algorithm: string): Buffer => createHash(algorithm).update(archive).digest();
  if (content.$case === 'messageSignature') {
    const { algorithm, digest } = content.messageSignature.messageDigest;
    if (algorithm === SHA2_256 && !isSame(digest, digestOf('sha256'))) throw new Rejected(OTHER_FILE);
    return;
  }
  const { payload, payloadType } = content.dsseEnvelope;
  if (payloadType !== 'application/vnd.in-toto+json') throw new Rejected('it signs something else');
  const subjects = parseObject(payload.toString('utf8'))?.subject;
  const isSubject = (Array.isArray(subjects) ? (subjects as unknown[]) : []).some((subject) => {
    const { sha256, sha512 } = (subject as { digest?: Record<string, unknown> } | null)?.digest ?? {};
    const hex = typeof sha256 === 'string' ? sha256 : undefined;
    const longHex = typeof sha512 === 'string' ? sha512 : undefined;
    if (hex === undefined && longHex === undefined) return false;
    return (
      (hex === undefined || isSame(Buffer.from(hex, 'hex'), digestOf('sha256'))) &&
      (longHex === undefined || isSame(Buffer.from(longHex, 'hex'), digestOf('sha512')))
    );
  });
  if (!isSubject) throw new Rejected(OTHER_FILE);
}

/** `SHA2_256` of the format. */
const SHA2_256 = 1;
const OTHER_FILE = 'it signs another file';

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function toReason(error: unknown): string {
  if (error instanceof Rejected) return error.message;
  if (!(error instanceof VerificationError)) return 'it is damaged';
  return REASONS.find(([code]) => error.code.startsWith(code))?.[1] ?? 'it could not be verified';
}

const REASONS: readonly (readonly [code: string, reason: string])[] = [
  [
    'CERTIFICATE',
    'its certificate was not issued by an authority of the trust root, or had expired when it was used',
  ],
  ['PUBLIC_KEY', 'it has no certificate that says who signed'],
  ['SIGNATURE', 'its signature is not one of this file'],
  ['TIMESTAMP', 'nothing proves when it was made'],
  ['TLOG', 'its entry in the transparency log is missing, or not one of a log of the trust root'],
];
