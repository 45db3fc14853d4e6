import { describe, expect, it } from 'vitest';
import { createAccountsRig, PUBLIC_URL } from '../testing/accounts-rig.ts';
import { createAuthenticator, type DeviceOptions } from '../testing/authenticator.ts';

interface Started {
  readonly ceremony: string;
  readonly options: { readonly challenge: string };
}

async function createRig() {
  const rig = await createAccountsRig();
  rig.mountRoutes();
  const post = (path: string, headers: Record<string, string>, body?: object) =>
    rig.call(`/account/${path}`, { method: 'POST', headers, body });
  const startOf = async (path: string, headers: Record<string, string> = {}) =>
    (await (await post(path, headers)).json()) as Started;
  const device = createAuthenticator();
  const add = async (
    headers: Record<string, string>,
    options: Partial<DeviceOptions> = {},
    finisher = headers,
  ) => {
    const {
      ceremony,
      options: { challenge },
    } = await startOf('passkeys', headers);
    const response = device.create(challenge, { origin: PUBLIC_URL, ...options });
    return post('passkeys/finish', finisher, { ceremony, response, name: 'Laptop' });
  };
  const signIn = async (options: Partial<DeviceOptions> = {}, by = device) => {
    const {
      ceremony,
      options: { challenge },
    } = await startOf('passkey');
    const response = by.get(challenge, { origin: PUBLIC_URL, counter: 1, ...options });
    return post('passkey/finish', {}, { ceremony, response });
  };
  return { ...rig, add, signInWith: signIn, startOf, post, device };
}

describe('passkeys', () => {
  it('are added by somebody who is signed in, sign in without a name, and are removed', async () => {
    const rig = await createRig();
    const ada = await rig.addPerson('ada');
    const headers = await rig.signIn(ada);
    const added = await rig.add(headers);
    expect(added.status).toBe(201);
    const { credentialId } = (await added.json()) as { credentialId: string };
    const response = await rig.signInWith();
    expect(await response.json()).toMatchObject({ email: 'ada@example.com' });
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-crewagent=/);
    expect(await (await rig.call('/account', { headers })).json()).toMatchObject({ passkeys: 1 });
    const bob = await rig.signIn(await rig.addPerson('bob'));
    await rig.call(`/account/passkeys/${credentialId}`, { method: 'DELETE', headers: bob });
    expect((await rig.signInWith({ counter: 2 })).status).toBe(200);
    await rig.call(`/account/passkeys/${credentialId}`, { method: 'DELETE', headers });
    expect((await rig.signInWith({ counter: 3 })).status).toBe(401);
  });

  it('are refused from another site, without a verified person, with an old counter, twice, or for somebody else', async () => {
    const rig = await createRig();
    const [ada, bob] = [await rig.addPerson('ada'), await rig.addPerson('bob')];
    const [asAda, asBob] = [await rig.signIn(ada), await rig.signIn(bob)];
    const evil = { origin: 'https://crew.example.com.evil.example' };
    for (const options of [evil, { isVerified: false }])
      expect((await rig.add(asAda, options)).status).toBe(401);
    expect((await rig.add(asAda, {}, asBob)).status).toBe(401);
    expect((await rig.add(asAda)).status).toBe(201);
    expect((await rig.signInWith({ counter: 5 })).status).toBe(200);
    for (const options of [evil, { isVerified: false, counter: 6 }, { counter: 5 }, { counter: 4 }])
      expect((await rig.signInWith(options)).status).toBe(401);
    expect((await rig.signInWith({ counter: 9 }, createAuthenticator())).status).toBe(401);
    const { ceremony, options } = await rig.startOf('passkey');
    const answer = {
      ceremony,
      response: rig.device.get(options.challenge, { origin: PUBLIC_URL, counter: 10 }),
    };
    const replayed = await Promise.all([
      rig.post('passkey/finish', {}, answer),
      rig.post('passkey/finish', {}, answer),
    ]);
    expect(replayed.map(({ status }) => status).sort()).toEqual([200, 401]);
    const other = await rig.startOf('passkey');
    const mixed = { ...answer, ceremony: other.ceremony };
    expect((await rig.post('passkey/finish', {}, mixed)).status).toBe(401);
    for (const response of [
      {},
      { id: "'; drop table passkeys; --" },
      { id: 1 },
      { ...answer.response, response: null },
    ]) {
      const next = await rig.startOf('passkey');
      expect((await rig.post('passkey/finish', {}, { ceremony: next.ceremony, response })).status).toBe(401);
    }
    expect(rig.bugs).toEqual([]);
    await rig.addPerson('admin', { isAdmin: true });
    await rig.accounts.people.change(ada.personId, { isDisabled: true });
    expect((await rig.signInWith({ counter: 20 })).status).toBe(401);
  });
});
