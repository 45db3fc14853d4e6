import { describe, expect, it } from 'vitest';
import { createAccountsRig } from '../testing/accounts-rig.ts';
import { mountQuotas } from './quotas.ts';

describe('quotas over HTTP', () => {
  it('are set by administrators with an entry in the audit log, and shown to whom they hold for', async () => {
    const rig = await createAccountsRig();
    mountQuotas(rig.router, rig);
    const [root, ada, ben] = [
      await rig.addPerson('Root', { isAdmin: true }),
      await rig.addPerson('Ada'),
      await rig.addPerson('Ben'),
    ];
    const [own, foreign] = [await rig.addProject(), await rig.addProject()];
    const admin = await rig.signIn(root);
    const member = await rig.signIn(ada, { projectId: own, role: 'view' });
    const put = (body: object, headers = admin) => rig.call('/team/quotas', { method: 'PUT', headers, body });
    const list = async (headers: Readonly<Record<string, string>>) =>
      ((await (await rig.call('/team/quotas', { headers })).json()) as { quotas: object[] }).quotas;

    const quota = { period: 'month', tokens: 500 };
    for (const body of [
      { kind: 'default', quota },
      { kind: 'person', subjectId: ben.personId, quota: { period: 'day', costUsd: 2.5 } },
      { kind: 'project', subjectId: own, quota },
      { kind: 'project', subjectId: foreign, quota },
    ])
      expect((await put(body)).status).toBe(204);
    expect((await put({ kind: 'default', quota: { period: 'day' } })).status).toBe(400);
    expect((await put({ kind: 'person', quota })).status).toBe(400);
    expect((await put({ kind: 'person', subjectId: own, quota })).status).toBe(404);
    expect((await put({ kind: 'default' }, member)).status).toBe(403);

    await rig.database.write(
      `insert into spending values ('w', now(), 'm', '', $1, $2, 1, 100, 20, 0, 120), ('x', now(), 'm', '', $3, $2, 1, 7, 0, 1, 0)`,
      [ada.personId, own, ben.personId],
    );
    expect(await list(admin)).toHaveLength(4);
    expect(await list(member)).toMatchObject([
      { kind: 'person', name: 'Ada', tokens: 500, used: { tokens: 120, unpricedTokens: 120 } },
      { kind: 'project', subjectId: own, used: { tokens: 127, costUsd: 1 } },
    ]);
    expect(await list(await rig.signIn(ben))).toMatchObject([
      { kind: 'person', period: 'day', costUsd: 2.5, used: { tokens: 7, costUsd: 1 } },
    ]);
    const entries = await rig.accounts.audit.list({ limit: 20 });
    const [refused] = entries;
    expect(refused).toMatchObject({
      action: 'quotas.put',
      outcome: 'ACCESS_DENIED',
      person: 'Ada@example.com',
    });
    expect(entries.filter(({ outcome }) => outcome === 'allowed').at(-1)).toMatchObject({
      ...{ person: 'Root@example.com', details: { kind: 'default', quota } },
    });
    expect(rig.bugs).toEqual([]);
  });
});
