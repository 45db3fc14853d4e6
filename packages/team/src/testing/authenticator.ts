/** A device with passkeys, in software: what a browser and its authenticator answer. */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

export interface DeviceOptions {
  readonly origin: string;
  readonly isVerified?: boolean;
  readonly counter?: number;
}

export function createAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  const toAuthenticatorData = (
    { origin, isVerified = true, counter = 0 }: DeviceOptions,
    more = 0,
  ): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt8(USER_PRESENT | (isVerified ? USER_VERIFIED : 0) | more, 0);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(new URL(origin).hostname), head]);
  };
  const toAnswer = (response: Readonly<Record<string, string>>) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });
  return {
    /** `navigator.credentials.create` */
    create(challenge: string, options: DeviceOptions) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const cose = new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const data = Buffer.concat([
        toAuthenticatorData(options, HAS_CREDENTIAL),
        ...[Buffer.alloc(16), length, id, isoCBOR.encode(cose)],
      ]);
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(data)],
      ]);
      return toAnswer({
        clientDataJSON: toClientData('webauthn.create', challenge, options).toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
      });
    },
    /** `navigator.credentials.get` */
    get(challenge: string, options: DeviceOptions) {
      const data = toAuthenticatorData(options);
      const clientData = toClientData('webauthn.get', challenge, options);
      const signed = createSign('SHA256').update(data).update(sha256(clientData));
      return toAnswer({
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signed.sign(privateKey).toString('base64url'),
      });
    },
  };
}

function toClientData(type: string, challenge: string, { origin }: DeviceOptions): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function sha256(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}
