/** Ed25519 signatures over a hash, of a package or of a policy: making and verifying them, and keys as people compare them. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { PackageSignature } from '@crewagent/protocol/package-signature';
import { sha256Of } from './sha256.ts';

export type SignedKind = 'package' | 'policy';

/** Separates these signatures from each other, and from any other use of a key. */
function toMessage(hash: string, kind: SignedKind): Buffer {
  return Buffer.from(`crewagent ${kind} signature 1\n${hash}`);
}

/** `privateKey`: PKCS #8 in base64. */
export function signHash(hash: string, privateKey: string, kind: SignedKind = 'package'): PackageSignature {
  const signature = sign(null, toMessage(hash, kind), parsePrivateKey(privateKey)).toString('base64');
  return { key: toPublicKey(privateKey), signature };
}

export function toPublicKey(privateKey: string): string {
  const { x = '' } = createPublicKey(parsePrivateKey(privateKey)).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('base64');
}

function parsePrivateKey(text: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
}

export function isSignatureOf(
  hash: string,
  { key, signature }: PackageSignature,
  kind: SignedKind = 'package',
): boolean {
  try {
    const x = Buffer.from(key, 'base64').toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, toMessage(hash, kind), publicKey, Buffer.from(signature, 'base64'));
  } catch {
    // Not a point of the curve.
    return false;
  }
}

/** 96 bits of the hash of the key, in groups of four; an identity in words. */
export function toFingerprint(key: string): string {
  const [, issuer, identity] = /^sigstore:(\S+) (\S+)$/.exec(key) ?? [];
  if (identity !== undefined) return `${identity} via ${issuer} (Sigstore)`;
  const digest = sha256Of(Buffer.from(key, 'base64'));
  return (digest.slice(0, 24).match(/.{4}/g) ?? []).join('-');
}
