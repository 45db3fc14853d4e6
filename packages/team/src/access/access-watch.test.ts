import { describe, expect, it, vi } from 'vitest';
import { createAccountsRig } from '../testing/accounts-rig.ts';
import { countStatements } from '../testing/counted-database.ts';
import { createAccessWatch } from './access-watch.ts';

async function setUp() {
  const rig = await createAccountsRig();
  const { database, accounts, identities, addPerson, addProject, signIn, tokenOf } = rig;
  const projectId = await addProject();
  const role = { projectId, role: 'view' } as const;
  let statements = 0;
  const counted = countStatements(database, () => {
    statements++;
  });
  const watch = createAccessWatch(counted, identities, 100);
  const ended: string[] = [];
  const open = async (name: string, headers: Record<string, string>): Promise<void> => {
    const viewer = await identities.authenticate(new Headers(headers));
    watch(viewer, () => ended.push(name));
  };
  const [ada, ben] = [await addPerson('ada'), await addPerson('ben')];
  await accounts.roles.set(projectId, ben.personId, 'view');
  return {
    ...{ database, accounts, projectId, ada, ben, ended, open },
    sessionOf: () => signIn(ada, role),
    tokenOf: () => tokenOf(ben, 'view', projectId),
    statements: () => statements,
  };
}

describe('open streams', () => {
  it('[H1] end when the session or the token has expired, and one question is enough for all of them', async () => {
    const { database, ended, open, sessionOf, tokenOf, statements } = await setUp();
    await open('expired session', await sessionOf());
    await database.write("update sessions set expires_at = now() - interval '1 s'");
    await open('expired token', await tokenOf());
    await database.write("update api_tokens set expires_at = now() - interval '1 s'");
    const headers = await sessionOf();
    for (let index = 0; index < 50; index++) await open(`stream ${index}`, headers);
    await vi.waitFor(() => expect(ended).toContain('expired token'), { timeout: 10_000 });
    expect(new Set(ended)).toEqual(new Set(['expired session', 'expired token']));
    const before = statements();
    await vi.waitFor(() => expect(statements()).toBeGreaterThan(before + 2), { timeout: 10_000 });
    expect(statements()).toBeLessThan(before + 10);
  });

  it('[H1] end when the rights of their person change, and those of others stay', async () => {
    const { accounts, projectId, ada, ended, open, sessionOf, tokenOf } = await setUp();
    await open('ada', await sessionOf());
    await open('ben', await tokenOf());
    await accounts.roles.set(projectId, ada.personId, 'run');
    await vi.waitFor(() => expect(new Set(ended)).toEqual(new Set(['ada'])), { timeout: 10_000 });
  });
});
