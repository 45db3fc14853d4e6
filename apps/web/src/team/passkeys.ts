/** Adding a passkey: the browser's own dialog, with what the server sends and takes. */
import { team } from './team-client.ts';

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
