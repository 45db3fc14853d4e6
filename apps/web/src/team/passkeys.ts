/** Passkeys: the browser's own dialogs, with what the server sends and takes. */
import { useAction } from '../ui/use-action.ts';
import { team } from './team-client.ts';

/** Signs in with a passkey of this device. */
export function usePasskey(onDone: () => void) {
  return useAction(async () => {
    const { ceremony, options } = await team.account.startPasskey();
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      options as unknown as PublicKeyCredentialRequestOptionsJSON,
    );
    const credential = await navigator.credentials.get({ publicKey });
    await team.account.finishPasskey({ body: { ceremony, response: toJson(credential) } });
    onDone();
  });
}

/** Adds a passkey of this device. */
export async function addPasskey(name: string): Promise<void> {
  const { ceremony, options } = await team.account.addPasskey();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await navigator.credentials.create({ publicKey });
  await team.account.finishAddingPasskey({ body: { ceremony, response: toJson(credential), name } });
}

function toJson(credential: Credential | null): Record<string, unknown> {
  return (credential as PublicKeyCredential).toJSON() as unknown as Record<string, unknown>;
}
