/** Sign-in with passkeys (WebAuthn). A passkey says itself whose it is; the device has verified the person. */
import { CrewError } from '@crewagent/core';
import type { Person, ShownPasskey } from '@crewagent/protocol/api/accounts';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Accounts } from '../accounts/accounts.ts';
import type { Database } from '../database/database.ts';
import type { Ceremonies } from './ceremonies.ts';

export interface PasskeysOptions {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly ceremonies: Ceremonies;
  /** Origin of the server, to whose host passkeys are bound. */
  readonly origin: string;
}

interface PasskeyRow {
  readonly credential_id: string;
  readonly person_id: string;
  readonly public_key: Buffer;
  /** The driver returns large integers as text. */
  readonly counter: string;
  readonly transports: string[];
  readonly name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

interface Started {
  readonly challenge: string;
  /** Who adds a passkey. */
  readonly personId?: string | undefined;
}

export interface PasskeyAnswer {
  readonly ceremony: string;
  /** What the browser returned; the library validates it. */
  readonly response: Readonly<Record<string, unknown>>;
}

export type Passkeys = ReturnType<typeof createPasskeys>;

export function createPasskeys({ database, accounts, ceremonies, origin }: PasskeysOptions) {
  const rpId = new URL(origin).hostname;
  const expected = { expectedOrigin: origin, expectedRPID: rpId, requireUserVerification: true };
  const rowsOf = (personId: string): Promise<PasskeyRow[]> =>
    database.read<PasskeyRow>('select * from passkeys where person_id = $1 order by created_at', [personId]);

  return {
    list: async (personId: string): Promise<ShownPasskey[]> => (await rowsOf(personId)).map(toShown),
    async remove(personId: string, credentialId: string): Promise<void> {
      await database.read('delete from passkeys where person_id = $1 and credential_id = $2', [
        personId,
        credentialId,
      ]);
    },
    async startAdding({ personId, email, name }: Person) {
      const { generateRegistrationOptions } = await import('@simplewebauthn/server');
      const known = await rowsOf(personId);
      const options = await generateRegistrationOptions({
        rpName: 'CrewAgent',
        rpID: rpId,
        userID: new TextEncoder().encode(personId),
        userName: email,
        userDisplayName: name,
        excludeCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      const started: Started = { challenge: options.challenge, personId };
      return { ceremony: await ceremonies.start('passkey added', started), options: { ...options } };
    },
    async finishAdding(personId: string, { ceremony, response, name }: PasskeyAnswer & { name: string }) {
      const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
      const started = await ceremonies.finish<Started>('passkey added', ceremony);
      if (!started || started.personId !== personId) throw failed();
      const { registrationInfo } = await verifyRegistrationResponse({
        ...expected,
        response: response as unknown as RegistrationResponseJSON,
        expectedChallenge: started.challenge,
      }).catch(failedWith);
      if (!registrationInfo) throw failed();
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
      const [row] = await database.write<PasskeyRow>(
        `insert into passkeys (credential_id, person_id, public_key, counter, transports, name)
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning *`,
        [id, personId, Buffer.from(publicKey), counter, transports, name],
      );
      if (!row) throw failed();
      return toShown(row);
    },
    async start() {
      const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
      const options = await generateAuthenticationOptions({ rpID: rpId, userVerification: 'required' });
      const started: Started = { challenge: options.challenge };
      return { ceremony: await ceremonies.start('passkey', started), options: { ...options } };
    },
    /** Throws SIGN_IN_FAILED. */
    async finish({ ceremony, response }: PasskeyAnswer): Promise<Person> {
      const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
      const started = await ceremonies.finish<Started>('passkey', ceremony);
      const [row] = await database.read<PasskeyRow>('select * from passkeys where credential_id = $1', [
        typeof response.id === 'string' && /^[\w-]+$/.test(response.id) ? response.id : '',
      ]);
      if (!started || !row) throw failed();
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        ...expected,
        response: response as unknown as AuthenticationResponseJSON,
        expectedChallenge: started.challenge,
        credential: {
          id: row.credential_id,
          publicKey: new Uint8Array(row.public_key),
          counter: Number(row.counter),
          transports: row.transports,
        },
      }).catch(failedWith);
      const person = await accounts.people.find(row.person_id);
      if (!verified || !person || person.isDisabled) throw failed();
      await database.read(
        'update passkeys set counter = greatest(counter, $2), last_used_at = now() where credential_id = $1',
        [row.credential_id, authenticationInfo.newCounter],
      );
      return person;
    },
  };
}

function toShown({ credential_id: credentialId, name, created_at, last_used_at }: PasskeyRow): ShownPasskey {
  return {
    credentialId,
    name,
    createdAt: created_at.toISOString(),
    usedAt: last_used_at?.toISOString(),
  };
}

function failed(cause?: unknown): CrewError {
  return new CrewError('SIGN_IN_FAILED', 'The passkey was not accepted. Try again, or sign in another way.', {
    cause,
  });
}

/** The library throws for anything that does not fit. */
function failedWith(cause: unknown): never {
  throw failed(cause);
}
