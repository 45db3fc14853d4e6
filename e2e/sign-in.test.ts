import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../packages/core/src/testing/temp-folder.ts';
import { createAccounts } from '../packages/team/src/accounts/accounts.ts';
import { startTeamServer } from '../packages/team/src/http/serve-team.ts';
import { migrateQueue } from '../packages/team/src/queue/advance-queue.ts';
import { openTeam } from '../packages/team/src/store/open-team.ts';
import { testDatabase } from '../packages/team/src/testing/team-rig.ts';
import { TEST_KEYS } from '../packages/team/src/testing/test-keys.ts';
import { buildWeb, webDist } from '../scripts/build-web.mjs';
import { openBrowser } from './browser-contexts.ts';
import { checkBothThemes } from './check-both-themes.ts';
import { hasChromium } from './whole-page.ts';

const PASSWORD = 'a long enough password';

/** A team server with the built page, and a browser. */
async function startTeamPage() {
  await buildWeb();
  const database = await testDatabase();
  await migrateQueue(database);
  const bugs: unknown[] = [];
  const passwordCost = { memoryCost: 8, timeCost: 1 };
  const server = await startTeamServer({
    databaseUrl: database.url,
    // Passkeys need a name; browsers trust this one without https.
    host: 'localhost',
    scratch: await tempFolder(),
    keys: TEST_KEYS,
    env: {},
    webRoot: webDist,
    passwordCost,
    onBug: (_, error) => void bugs.push(error),
  });
  const browser = await openBrowser();
  onTestFinished(async () => {
    await browser.close();
    await server.stop();
    expect(bugs).toEqual([]);
  });
  const open = async (path: string, locale = 'en-US'): Promise<Page> => {
    const page = await (await browser.newContext({ locale, baseURL: server.url })).newPage();
    await page.goto(path);
    return page;
  };
  return { database, accounts: createAccounts({ database, passwordCost }), open };
}

/** The page notices it and goes to the sign-in page itself. */
async function signOut(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const body = JSON.stringify({ everywhere: false });
    await fetch('/api/v1/account/sign-out', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  });
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

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
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'CrewAgent', level: 1 }).waitFor();
  });

  it('[H1] lets somebody who was invited create an account, in their language', async () => {
    const { database, accounts, open } = await startTeamPage();
    const { projects } = openTeam({ database, scratch: await tempFolder(), holder: 'test', keys: TEST_KEYS });
    const source = { kind: 'upload' } as const;
    const { projectId } = await projects.create({ name: 'Project', source, now: () => new Date() });
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
  });
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
