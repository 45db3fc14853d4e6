/**
 * A Sigstore of a test: a certificate authority, a transparency log and bundles signed with them. Certificates are written as DER by
 * hand, because Node reads them and makes none.
 */
import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  sign,
} from 'node:crypto';

export const ISSUER = 'https://accounts.example.org';
export const IDENTITY = 'release@example.org';

type Json = Record<string, unknown>;

export interface Bundle extends Json {
  readonly mediaType: string;
  verificationMaterial: Json & { tlogEntries: Json[]; certificate?: Json };
  messageSignature?: Json;
  dsseEnvelope?: Json;
}

export interface SignOptions {
  readonly identity?: string;
  readonly issuer?: string;
  /** When the log recorded it; the certificate is valid for ten minutes from `issuedAt`. */
  readonly loggedAt?: Date;
  readonly issuedAt?: Date;
  /** Signs an in-toto statement about the file instead of the file. */
  readonly isAttestation?: boolean;
  /** Earlier versions have a list of certificates, and the oldest one no proof of inclusion. */
  readonly version?: '0.1' | '0.2' | '0.3';
}

const NOW = new Date('2026-03-01T10:00:00Z');

/** What bundles are signed with. */
interface Authority {
  readonly name: string;
  readonly keys: KeyPairKeyObjectResult;
  readonly log: KeyPairKeyObjectResult;
  readonly logId: Buffer;
}

export function createAuthority(name = 'Test Authority') {
  const log = newKeys();
  const authority: Authority = { name, keys: newKeys(), log, logId: hashOf(spkiOf(log.publicKey)) };
  return {
    trustRoot: toTrustRoot(authority),
    bundle: (file: Buffer, options: SignOptions = {}) => toBundle(file, options, authority),
  };
}

function toTrustRoot({ name, keys, log, logId }: Authority) {
  const root = toCertificate({
    subject: name,
    issuer: name,
    key: keys.publicKey,
    signer: keys.privateKey,
    from: new Date('2020-01-01T00:00:00Z'),
    to: new Date('2040-01-01T00:00:00Z'),
    extensions: [
      extension('2.5.29.19', true, seq(tlv(0x01, Buffer.from([0xff])))),
      extension('2.5.29.15', true, tlv(0x03, Buffer.from([1, 0x06]))),
      extension('2.5.29.14', false, tlv(0x04, hashOf(spkiOf(keys.publicKey)).subarray(0, 20))),
    ],
  });
  const validFor = { start: '2020-01-01T00:00:00Z' };
  const rawBytes = spkiOf(log.publicKey).toString('base64');
  return {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [
      {
        baseUrl: 'https://log.example.org',
        hashAlgorithm: 'SHA2_256',
        publicKey: { rawBytes, keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
        logId: { keyId: logId.toString('base64') },
      },
    ],
    certificateAuthorities: [
      {
        subject: { organization: name, commonName: name },
        uri: 'https://ca.example.org',
        certChain: { certificates: [{ rawBytes: root.toString('base64') }] },
        validFor,
      },
    ],
    ctlogs: [],
    timestampAuthorities: [],
  };
}

const STATEMENT = 'application/vnd.in-toto+json';

function toBundle(file: Buffer, options: SignOptions, authority: Authority): Bundle {
  const { issuedAt = NOW, isAttestation = false, version = '0.3' } = options;
  const { loggedAt = new Date(issuedAt.getTime() + 60_000) } = options;
  const keys = newKeys();
  const certificate = issue(keys.publicKey, options, authority);
  const signed = isAttestation ? toStatement(file) : file;
  const bytes = isAttestation ? toPreAuth(STATEMENT, signed) : file;
  const signature = sign('sha256', bytes, keys.privateKey).toString('base64');
  const digest = hashOf(signed);
  const hash = { algorithm: 'sha256', value: digest.toString('hex') };
  const key = toPem(certificate);
  const body = isAttestation
    ? { kind: 'dsse', spec: { payloadHash: hash, signatures: [{ signature, verifier: key }] } }
    : {
        kind: 'hashedrekord',
        spec: { data: { hash }, signature: { content: signature, publicKey: { content: key } } },
      };
  return {
    mediaType:
      version === '0.3'
        ? 'application/vnd.dev.sigstore.bundle.v0.3+json'
        : `application/vnd.dev.sigstore.bundle+json;version=${version}`,
    verificationMaterial: {
      ...(version === '0.3'
        ? { certificate: { rawBytes: certificate } }
        : { x509CertificateChain: { certificates: [{ rawBytes: certificate }] } }),
      tlogEntries: [toEntry({ apiVersion: '0.0.1', ...body }, loggedAt, version, authority)],
    },
    ...(isAttestation
      ? {
          dsseEnvelope: {
            payloadType: STATEMENT,
            payload: signed.toString('base64'),
            signatures: [{ sig: signature }],
          },
        }
      : {
          messageSignature: {
            messageDigest: { algorithm: 'SHA2_256', digest: digest.toString('base64') },
            signature,
          },
        }),
  };
}

function toStatement(file: Buffer): Buffer {
  const digest = { sha256: hashOf(file).toString('hex') };
  return Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'package.bmad', digest }],
      predicateType: 'https://example.org/predicate',
      predicate: {},
    }),
  );
}

/** A certificate in base64. */
function issue(
  key: KeyObject,
  { identity = IDENTITY, issuer = ISSUER, issuedAt = NOW }: SignOptions,
  { name, keys }: Authority,
): string {
  return toCertificate({
    subject: '',
    issuer: name,
    key,
    signer: keys.privateKey,
    from: issuedAt,
    to: new Date(issuedAt.getTime() + 600_000),
    extensions: [
      extension('2.5.29.15', true, tlv(0x03, Buffer.from([7, 0x80]))),
      extension('2.5.29.17', true, seq(tlv(identity.includes('://') ? 0x86 : 0x81, Buffer.from(identity)))),
      extension('1.3.6.1.4.1.57264.1.8', false, tlv(0x0c, Buffer.from(issuer))),
    ],
  }).toString('base64');
}

/** The second of two entries of the log, with its promise and its proof. */
function toEntry(
  body: Json & { readonly kind: string },
  loggedAt: Date,
  version: string,
  { log, logId }: Authority,
): Json {
  const bytes = Buffer.from(JSON.stringify(body));
  const integratedTime = Math.floor(loggedAt.getTime() / 1_000);
  const canonicalizedBody = bytes.toString('base64');
  const promised = `{"body":"${canonicalizedBody}","integratedTime":${integratedTime},"logID":"${logId.toString('hex')}","logIndex":1}`;
  const sibling = randomBytes(32);
  const leaf = hashOf(Buffer.concat([Buffer.from([0]), bytes]));
  const rootHash = hashOf(Buffer.concat([Buffer.from([1]), sibling, leaf])).toString('base64');
  const note = `log.example.org\n2\n${rootHash}\n`;
  const noted = Buffer.concat([logId.subarray(0, 4), sign('sha256', Buffer.from(note), log.privateKey)]);
  const envelope = `${note}\n\u2014 log.example.org ${noted.toString('base64')}\n`;
  return {
    logIndex: '1',
    logId: { keyId: logId.toString('base64') },
    kindVersion: { kind: body.kind, version: '0.0.1' },
    integratedTime: String(integratedTime),
    inclusionPromise: {
      signedEntryTimestamp: sign('sha256', Buffer.from(promised), log.privateKey).toString('base64'),
    },
    ...(version === '0.1'
      ? {}
      : {
          inclusionProof: {
            logIndex: '1',
            rootHash,
            treeSize: '2',
            hashes: [sibling.toString('base64')],
            checkpoint: { envelope },
          },
        }),
    canonicalizedBody,
  };
}

interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  readonly key: KeyObject;
  readonly signer: KeyObject;
  readonly from: Date;
  readonly to: Date;
  readonly extensions: readonly Buffer[];
}

function toCertificate(facts: CertificateFacts): Buffer {
  const serial = tlv(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(15)]));
  const body = seq(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    serial,
    ECDSA_SHA256,
    toName(facts.issuer),
    seq(toTime(facts.from), toTime(facts.to)),
    toName(facts.subject),
    spkiOf(facts.key),
    tlv(0xa3, seq(...facts.extensions)),
  );
  const signature = sign('sha256', body, facts.signer);
  return seq(body, ECDSA_SHA256, tlv(0x03, Buffer.concat([Buffer.from([0]), signature])));
}

function toName(name: string): Buffer {
  return name === '' ? seq() : seq(tlv(0x31, seq(oid('2.5.4.3'), tlv(0x0c, Buffer.from(name)))));
}

function toTime(date: Date): Buffer {
  return tlv(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`));
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  return seq(oid(id), ...(isCritical ? [tlv(0x01, Buffer.from([0xff]))] : []), tlv(0x04, value));
}

function seq(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

function tlv(tag: number, value: Buffer): Buffer {
  const { length } = value;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), value]);
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of others) {
    const groups = [part & 0x7f];
    for (let rest = part >> 7; rest > 0; rest >>= 7) groups.unshift((rest & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tlv(0x06, Buffer.from(bytes));
}

const ECDSA_SHA256 = seq(oid('1.2.840.10045.4.3.2'));

function newKeys(): KeyPairKeyObjectResult {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function spkiOf(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

function hashOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function toPem(certificate: string): string {
  const pem = `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`;
  return Buffer.from(pem).toString('base64');
}

function toPreAuth(type: string, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]);
}
