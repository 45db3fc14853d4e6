import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp } from '../packages/server/src/app.ts';
import { createRequestListener } from '../packages/server/src/request-listener.ts';
import { createOwnHosts } from '../packages/server/src/security/own-hosts.ts';
import { createStaticFiles } from '../packages/server/src/static-files.ts';
import { createServerRig, prepare } from '../packages/server/src/testing/server-rig.ts';
import { createTeamAccounts } from '../packages/team/src/team-accounts.ts';
import { testDatabase } from '../packages/team/src/testing/team-rig.ts';
import { buildWeb, webDist } from '../scripts/build-web.mjs';
import { openBrowser } from './browser-contexts.ts';
import { checkBothThemes } from './check-both-themes.ts';
import { hasChromium } from './whole-page.ts';

const PASSWORD = 'a long enough password';

/** A server with accounts and the built page, and a browser. */
async function startTeamPage() {
  await buildWeb();
  const rig = await createServerRig();
  const database = await testDatabase();
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // Passkeys need a name; browsers trust this one without https.
  const publicUrl = `http://localhost:${port}`;
  const passwordCost = { memoryCost: 8, timeCost: 1 };
  const team = createTeamAccounts({ database, publicUrl, passwordCost });
  const app = createApp({
    parts: rig.parts,
    access: team.access,
    hosts: createOwnHosts('127.0.0.1', port),
    publicOrigin: publicUrl,
    pages: createStaticFiles(webDist),
    mountMore: (router) => team.mount(router),
  });
  server.on('request', createRequestListener(app, rig.parts));
  const browser = await openBrowser();
  onTestFinished(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  });
  const { projectId } = await prepare(rig);
  await database.write("insert into projects (project_id, document, source) values ($1, '{}', '{}')", [
    projectId,
  ]);
  const open = async (path: string, locale = 'en-US'): Promise<Page> => {
    const page = await (await browser.newContext({ locale, baseURL: publicUrl })).newPage();
    await page.goto(path);
    return page;
  };
  return { accounts: team.accounts, projectId, open };
}

const signOut = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const body = JSON.stringify({ everywhere: false });
    await fetch('/api/v1/account/sign-out', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  });

describe.skipIf(!hasChromium)('the sign-in page of a team', () => {
  it('[H1] lets people in by link, password and passkey, and nobody without', async () => {
    const { accounts, open } = await startTeamPage();
    const { token } = await accounts.createFirstAdmin({ email: 'ada@example.com', name: 'Ada' });
    const page = await open(`/sign-in#sign-in=${token}`);
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
    expect(page.url()).not.toContain(token);
    await checkBothThemes(page);
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await page.getByRole('alert').getByText('at least 12 characters').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await page.getByRole('heading', { name: 'CrewAgent', level: 1 }).waitFor();

    await signOut(page);
    await page.goto('/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Password').fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('is wrong').waitFor();
    await checkBothThemes(page);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'CrewAgent', level: 1 }).waitFor();

    await addPasskey(page);
    await signOut(page);
    await page.goto('/');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'CrewAgent', level: 1 }).waitFor();
  }, 300_000);

  it('[H1] lets somebody who was invited create an account, in their language', async () => {
    const { accounts, projectId, open } = await startTeamPage();
    const { person } = await accounts.createFirstAdmin({ email: 'ada@example.com', name: 'Ada' });
    const invitation = { projectId, role: 'run', days: 1, createdBy: person.personId } as const;
    const { token } = await accounts.links.invite(invitation);
    const page = await open(`/sign-in#invitation=${token}`, 'zh-CN');
    await page.getByRole('heading', { name: '加入项目' }).waitFor();
    await checkBothThemes(page);
    await page.getByLabel('姓名').fill('李雷');
    await page.getByLabel('邮箱').fill('li@example.com');
    await page.getByLabel('密码').fill(PASSWORD);
    await page.getByRole('button', { name: '创建账号并加入' }).click();
    await page.getByRole('heading', { name: 'CrewAgent', level: 1 }).waitFor();
    expect(await accounts.roles.members(projectId)).toMatchObject([{ name: '李雷', role: 'run' }]);
  }, 300_000);
});

/** With an authenticator of the browser's own. */
async function addPasskey(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.evaluate(async () => {
    const post = async (path: string, body?: object): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      const init = body ? { headers, body: JSON.stringify(body) } : {};
      return (await fetch(`/api/v1/account/${path}`, { method: 'POST', ...init })).json();
    };
    const decode = (text: string): Uint8Array<ArrayBuffer> =>
      Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    const encode = (bytes: ArrayBuffer): string =>
      btoa(String.fromCharCode(...new Uint8Array(bytes)))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replace(/=+$/, '');
    const { ceremony, options } = (await post('passkeys')) as {
      ceremony: string;
      options: PublicKeyCredentialCreationOptions & { challenge: string; user: { id: string } };
    };
    const publicKey = {
      ...options,
      challenge: decode(options.challenge),
      user: { ...options.user, id: decode(options.user.id) },
      excludeCredentials: [],
    };
    const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
    const { clientDataJSON, attestationObject } = made.response as AuthenticatorAttestationResponse;
    const response = {
      id: made.id,
      rawId: made.id,
      type: made.type,
      clientExtensionResults: {},
      response: { clientDataJSON: encode(clientDataJSON), attestationObject: encode(attestationObject) },
    };
    await post('passkeys/finish', { ceremony, response, name: 'Laptop' });
  });
}
