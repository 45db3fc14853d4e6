/** Sign-in with a passkey: the browser asks the person which one. */
import { RequestError, send } from './send.ts';

interface Started {
  readonly ceremony: string;
  readonly options: { readonly challenge: string; readonly rpId?: string; readonly timeout?: number };
}

export async function signInWithPasskey(): Promise<void> {
  const { ceremony, options } = await send<Started>('POST', '/account/passkey');
  const found = await navigator.credentials
    .get({
      publicKey: {
        challenge: fromBase64(options.challenge),
        userVerification: 'required',
        ...(options.rpId === undefined ? {} : { rpId: options.rpId }),
        ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
      },
    })
    .catch(() => null);
  if (!(found instanceof PublicKeyCredential)) throw new RequestError('PASSKEY_FAILED');
  const { authenticatorData, clientDataJSON, signature, userHandle } =
    found.response as AuthenticatorAssertionResponse;
  const response = {
    id: found.id,
    rawId: found.id,
    type: found.type,
    clientExtensionResults: {},
    response: {
      authenticatorData: toBase64(authenticatorData),
      clientDataJSON: toBase64(clientDataJSON),
      signature: toBase64(signature),
      ...(userHandle ? { userHandle: toBase64(userHandle) } : {}),
    },
  };
  await send('POST', '/account/passkey/finish', { ceremony, response }).catch((error: unknown) => {
    const isRefused = error instanceof RequestError && error.code === 'SIGN_IN_FAILED';
    throw isRefused ? new RequestError('PASSKEY_FAILED') : error;
  });
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function toBase64(bytes: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
