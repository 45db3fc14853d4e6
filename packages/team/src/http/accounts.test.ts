import { type Person, TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { listEndpoints } from '@crewagent/protocol/api/endpoints';
import { describe, expect, it } from 'vitest';
import { type AccountsRig, createAccountsRig, PASSWORD, PUBLIC_URL } from '../testing/accounts-rig.ts';
import { sampleOf } from '../testing/sample-of.ts';

async function createRig(options?: Parameters<typeof createAccountsRig>[0]) {
  const rig = await createAccountsRig(options);
  rig.mountRoutes();
  const signIn = (email: string, password: string, from = '10.0.0.1') =>
    rig.call('/account/sign-in', {
      method: 'POST',
      headers: { 'x-forwarded-for': from, 'user-agent': 'Browser' },
      body: { email, password },
    });
  return { ...rig, signInWith: signIn };
}

function cookieIn(response: Response): { cookie: string } {
  return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
}

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { code: string } }).error.code;
}

async function actionsIn({ accounts }: Pick<AccountsRig, 'accounts'>): Promise<string[]> {
  const entries = await accounts.audit.list({ limit: 100 });
  return entries.reverse().map(({ person, action, outcome }) => `${person ?? '-'} ${action} ${outcome}`);
}

describe('signing in with a password', () => {
  it('[H1] opens a session in a cookie that scripts, other hosts and other sites do not get', async () => {
    const rig = await createRig();
    await rig.addPerson('ada', { password: PASSWORD });
    const response = await rig.signInWith('Ada@Example.com', PASSWORD);
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-crewagent=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const me = await rig.call('/account', { headers: cookieIn(response) });
    expect(await me.json()).toMatchObject({
      person: { email: 'ada@example.com' },
      roles: {},
      hasPassword: true,
    });
    const { rows } = {
      rows: await rig.database.read<{ token_hash: Buffer }>('select token_hash from sessions'),
    };
    const token = cookieIn(response).cookie.split('=')[1] ?? '';
    expect(rows.map(({ token_hash }) => token_hash.toString('base64url'))).not.toContain(token);
  });

  it('fails the same way for a wrong password, an unknown and a disabled person', async () => {
    const rig = await createRig();
    await rig.addPerson('admin', { isAdmin: true });
    await rig.addPerson('ada', { password: PASSWORD });
    await rig.addPerson('without');
    const bob = await rig.addPerson('bob', { password: PASSWORD });
    await rig.accounts.people.change(bob.personId, { isDisabled: true });
    const answers = await Promise.all(
      [
        ['ada@example.com', 'another password'],
        ['nobody@example.com', PASSWORD],
        ['without@example.com', PASSWORD],
        ['bob@example.com', PASSWORD],
        ["' or 1=1 --@example.com", PASSWORD],
      ].map(async ([email = '', password = '']) => {
        const response = await rig.signInWith(email, password);
        return {
          status: response.status,
          text: await response.text(),
          cookie: response.headers.get('set-cookie'),
        };
      }),
    );
    expect(answers.slice(0, 4).map(({ status, cookie }) => [status, cookie])).toEqual(
      Array(4).fill([401, null]),
    );
    expect(new Set(answers.slice(0, 4).map(({ text }) => text)).size).toBe(1);
    expect(await actionsIn(rig)).toContain('- account.signIn SIGN_IN_FAILED');
  });

  it('[H1] is limited for an account and for an address, for any number of servers and at once', async () => {
    const attemptLimits = { windowSeconds: 900, perPair: 3, perAccount: 5, perAddress: 8 };
    const rig = await createRig({ attemptLimits });
    for (const name of ['ada', 'bob']) await rig.addPerson(name, { password: PASSWORD });
    const tries = await Promise.all(
      Array.from({ length: 6 }, (_, index) => rig.signInWith('ada@example.com', `wrong password ${index}`)),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([401, 401, 401, 429, 429, 429]);
    const right = await rig.signInWith('ada@example.com', PASSWORD);
    expect(right.status).toBe(429);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(800);
    // From another address the owner still gets in, until the account has its limit.
    expect((await rig.signInWith('bob@example.com', PASSWORD)).status).toBe(200);
    expect((await rig.signInWith('bob@example.com', PASSWORD)).status).toBe(429);
    expect((await rig.signInWith('bob@example.com', PASSWORD, '10.0.0.2')).status).toBe(200);
    await rig.database.write("update sign_in_attempts set since = since - interval '16 minutes'");
    expect((await rig.signInWith('ada@example.com', PASSWORD)).status).toBe(200);
  });

  it('believes only the last entry of the proxies', async () => {
    const attemptLimits = { windowSeconds: 900, perPair: 2, perAccount: 100, perAddress: 100 };
    const rig = await createRig({ attemptLimits });
    await rig.addPerson('ada', { password: PASSWORD });
    const statuses: number[] = [];
    for (const spoofed of ['1.1.1.1', '2.2.2.2', '3.3.3.3'])
      statuses.push((await rig.signInWith('ada@example.com', 'wrong', `${spoofed}, 10.0.0.9`)).status);
    expect(statuses).toEqual([401, 401, 429]);
  });
});

describe('a session', () => {
  it('ends here, or everywhere, and with a changed password everywhere else', async () => {
    const rig = await createRig();
    await rig.addPerson('ada', { password: PASSWORD });
    const open = async () => cookieIn(await rig.signInWith('ada@example.com', PASSWORD));
    const isIn = async (headers: { cookie: string }) =>
      (await rig.call('/account', { headers })).status === 200;
    const post = (headers: { cookie: string }, everywhere: boolean) =>
      rig.call('/account/sign-out', { method: 'POST', headers, body: { everywhere } });
    const [first, second, third] = [await open(), await open(), await open()];
    expect((await post(first, false)).headers.get('set-cookie')).toContain('Max-Age=0');
    expect(await Promise.all([first, second, third].map(isIn))).toEqual([false, true, true]);
    const body = { current: PASSWORD, password: 'quite another password' };
    const wrong = { ...body, current: 'not the password' };
    const change = (given: object) =>
      rig.call('/account/password', { method: 'PUT', headers: second, body: given });
    expect((await change(wrong)).status).toBe(401);
    expect((await change({ password: body.password })).status).toBe(401);
    expect((await change({ ...body, password: 'ada@example.com' })).status).toBe(400);
    expect((await change(body)).status).toBe(204);
    expect(await Promise.all([second, third].map(isIn))).toEqual([true, false]);
    expect((await rig.signInWith('ada@example.com', PASSWORD)).status).toBe(401);
    const fourth = cookieIn(await rig.signInWith('ada@example.com', body.password));
    await post(second, true);
    expect(await Promise.all([second, fourth].map(isIn))).toEqual([false, false]);
  });

  it('cannot be ended by others', async () => {
    const rig = await createRig();
    const [ada, bob] = [await rig.addPerson('ada'), await rig.addPerson('bob')];
    const [own, others] = [await rig.signIn(ada), await rig.signIn(bob)];
    const [{ sessionId = '' } = {}] = await rig.accounts.sessions.list(ada.personId);
    await rig.call(`/account/sessions/${sessionId}`, { method: 'DELETE', headers: others });
    expect((await rig.call('/account', { headers: own })).status).toBe(200);
    await rig.call(`/account/sessions/${sessionId}`, { method: 'DELETE', headers: own });
    expect((await rig.call('/account', { headers: own })).status).toBe(401);
  });
});

describe('an API token', () => {
  it('is shown once, counts its use, is revoked by its owner only, and cannot make further tokens', async () => {
    const rig = await createRig();
    const [ada, bob] = [await rig.addPerson('ada'), await rig.addPerson('bob')];
    const [own, others] = [await rig.signIn(ada), await rig.signIn(bob)];
    const body = { name: 'ci', scope: 'run', days: 30 };
    const created = await rig.call('/account/tokens', { method: 'POST', headers: own, body });
    const { token, shown } = (await created.json()) as { token: string; shown: { tokenId: string } };
    expect(token).toMatch(/^crew_[\w-]{43}$/);
    const headers = { authorization: `Bearer ${token}` };
    expect((await rig.call('/account', { headers })).status).toBe(200);
    const list = await (await rig.call('/account/tokens', { headers: own })).text();
    expect(list).not.toContain(token);
    expect(list).toContain('"usedAt"');
    expect((await rig.call('/account/tokens', { method: 'POST', headers, body })).status).toBe(403);
    const revoke = (by: { cookie: string }) =>
      rig.call(`/account/tokens/${shown.tokenId}`, { method: 'DELETE', headers: by });
    await revoke(others);
    expect((await rig.call('/account', { headers })).status).toBe(200);
    await revoke(own);
    expect((await rig.call('/account', { headers })).status).toBe(401);
  });
});

describe('links', () => {
  const linkToken = (link: string): string => link.split('=').at(-1) ?? '';

  it('let the first administrator in once, and there is only one first', async () => {
    const rig = await createRig();
    const first = { email: 'root@example.com', name: 'Root' };
    const { token } = await rig.accounts.createFirstAdmin(first);
    await expect(rig.accounts.createFirstAdmin({ ...first, email: 'b@example.com' })).rejects.toThrow(
      /already has/,
    );
    const use = (password: string) =>
      rig.call('/account/sign-in-link', { method: 'POST', body: { token, password } });
    // A refused password does not use the link up.
    expect((await use('short')).status).toBe(400);
    const [once, again] = await Promise.all([use(PASSWORD), use(PASSWORD)]);
    expect([once.status, again.status].sort()).toEqual([200, 410]);
    const headers = cookieIn(once.status === 200 ? once : again);
    expect(await (await rig.call('/account', { headers })).json()).toMatchObject({
      person: { isAdmin: true },
    });
    expect((await rig.signInWith('root@example.com', PASSWORD)).status).toBe(200);
  });

  it('invite one person with a role, until the time or the right of the inviter is over', async () => {
    const rig = await createRig();
    const projectId = await rig.addProject();
    const manager = await rig.addPerson('manager');
    const headers = await rig.signIn(manager, { projectId, role: 'manage' });
    const invite = async (role = 'run') => {
      const body = { role };
      const response = await rig.call(`/projects/${projectId}/invitations`, {
        method: 'POST',
        headers,
        body,
      });
      return ((await response.json()) as { link: string }).link;
    };
    const accept = (link: string, who: object = {}) =>
      rig.call('/account/invitation', { method: 'POST', body: { token: linkToken(link), ...who } });
    const account = { email: 'new@example.com', name: 'New', password: PASSWORD };
    const link = await invite();
    expect(link.startsWith(`${PUBLIC_URL}/sign-in#invitation=`)).toBe(true);
    expect((await accept(link)).status).toBe(401);
    const taken = await accept(link, { account: { ...account, email: 'Manager@example.com' } });
    expect(await codeOf(taken)).toBe('PERSON_EXISTS');
    const joined = await accept(link, { account });
    expect(await joined.json()).toMatchObject({
      projectId,
      role: 'run',
      person: { email: 'new@example.com' },
    });
    const members = await rig.call(`/projects/${projectId}/members`, { headers: cookieIn(joined) });
    expect(await members.json()).toMatchObject({
      members: [{ role: 'manage' }, { name: 'New', role: 'run' }],
    });
    expect((await accept(link, { account: { ...account, email: 'x@example.com' } })).status).toBe(410);
    const late = await invite();
    await rig.database.write("update links set expires_at = now() - interval '1 second'");
    expect((await accept(late, { account: { ...account, email: 'x@example.com' } })).status).toBe(410);
    const orphan = await invite('manage');
    await rig.accounts.roles.set(projectId, manager.personId, 'view');
    expect((await accept(orphan, { account: { ...account, email: 'x@example.com' } })).status).toBe(410);
  });
});

describe('administrators', () => {
  it('cannot all be disabled or demoted, not even at once', async () => {
    const rig = await createRig();
    const [a, b] = [await rig.addPerson('a', { isAdmin: true }), await rig.addPerson('b', { isAdmin: true })];
    const headers = await rig.signIn(a);
    const change = (person: Person, body: object) =>
      rig.call(`/people/${person.personId}`, { method: 'PATCH', headers, body });
    const statuses = (
      await Promise.all([change(a, { isAdmin: false }), change(b, { isDisabled: true })])
    ).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(2);
    expect((await rig.accounts.people.list()).some(({ isAdmin, isDisabled }) => isAdmin && !isDisabled)).toBe(
      true,
    );
  });
});

describe('the audit log', () => {
  it('[H1] says who did what and how it ended, also what was refused, and never a secret', async () => {
    const rig = await createRig();
    const projectId = await rig.addProject();
    const manager = await rig.addPerson('manager', { password: PASSWORD });
    const viewer = await rig.addPerson('viewer');
    const headers = await rig.signIn(manager, { projectId, role: 'manage' });
    const asViewer = await rig.signIn(viewer, { projectId, role: 'view' });
    const path = `/projects/${projectId}/policy`;
    await rig.call(path, { method: 'PUT', headers: asViewer, body: { needsSecondPerson: true } });
    await rig.call(path, { method: 'PUT', headers, body: { needsSecondPerson: true } });
    await rig.signInWith('manager@example.com', PASSWORD);
    expect(await actionsIn(rig)).toEqual([
      'viewer@example.com members.setPolicy ACCESS_DENIED',
      'manager@example.com members.setPolicy allowed',
      'manager@example.com account.signIn allowed',
    ]);
    const exported = await rig.call(`/audit/export?project=${projectId}`, { headers });
    const lines = (await exported.text()).trim().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { action: 'members.setPolicy', projectId, details: { needsSecondPerson: true }, outcome: 'allowed' },
    ]);
    const all = await rig.database.read('select * from audit_log');
    expect(JSON.stringify(all)).not.toContain(PASSWORD);
    // Of the whole team it is for administrators.
    expect((await rig.call('/audit', { headers })).status).toBe(403);
  });

  it('[H1] is append-only', async () => {
    const rig = await createRig();
    await rig.accounts.audit.append({ via: 'none', action: 'test', outcome: 'allowed' });
    for (const sql of ["update audit_log set outcome = 'x'", 'delete from audit_log', 'truncate audit_log'])
      await expect(rig.database.write(sql)).rejects.toThrow(/append-only/);
    expect(await rig.accounts.audit.list({ limit: 10 })).toHaveLength(1);
  });
});

describe('the fields of account endpoints', () => {
  it('may contain anything, which is data or is refused', async () => {
    const rig = await createRig();
    const admin = await rig.addPerson('admin', { isAdmin: true });
    const projectId = await rig.addProject();
    const hostile = ["'; drop table people; --", '" or ""="', '\\', '\u0000', '%00', "$1'", '\ud800', '()'];
    for (const { name, endpoint } of listEndpoints(TEAM_ENDPOINTS)) {
      if (name === 'account.signOut') continue;
      const headers = { ...(await rig.signIn(admin)), 'x-forwarded-for': '10.9.9.9' };
      const body = endpoint.body && sampleOf(endpoint.body);
      const params = sampleOf(endpoint.params);
      for (const text of hostile) {
        await rig.database.write('delete from sign_in_attempts');
        const inPath = (field?: string) =>
          endpoint.path.replace(/:(\w+)/g, (_, param: string) => {
            const usual = param === 'projectId' ? projectId : String(params[param]);
            return encodeURIComponent(param === field ? text.replace('\ud800', '') : usual);
          });
        const calls = [
          ...Object.keys(params).map((field) => ({ path: inPath(field), body })),
          ...Object.keys((endpoint.query as { shape?: object } | undefined)?.shape ?? {}).map((field) => ({
            path: `${inPath()}?${new URLSearchParams({ [field]: text })}`,
            body,
          })),
          ...Object.keys(body ?? {}).map((field) => ({ path: inPath(), body: { ...body, [field]: text } })),
        ];
        for (const call of calls) {
          const response = await rig.call(call.path, { method: endpoint.method, headers, body: call.body });
          expect([name, text, response.status < 500]).toEqual([name, text, true]);
        }
      }
    }
    expect(rig.bugs).toEqual([]);
    expect((await rig.accounts.people.list()).length).toBeGreaterThan(0);
  }, 60_000);
});
