import { addCostSums, NO_COST, toCostSum } from '@crewagent/protocol/costs';
import { describe, expect, it, vi } from 'vitest';
import { createAccounts } from '../accounts/accounts.ts';
import { startChainTeam } from '../testing/chain-team.ts';
import { spawnWorker } from '../testing/worker-process.ts';
import { openQuotas } from './open-quotas.ts';
import { createQuotas } from './quotas.ts';
import { readTeamCosts } from './read-costs.ts';

const PRICES = { input: 1, output: 2 };
/** As the model of the chain reports. */
const TOKENS_OF_A_TURN = 110;

async function setUp() {
  const team = await startChainTeam();
  const { database, store, model, create, eventsOf } = team;
  await store.settings.update({
    models: {
      priced: { model: 'm', baseUrl: model.url, prices: PRICES },
      unpriced: { model: 'free', baseUrl: model.url },
    },
  });
  const accounts = createAccounts({ database });
  const add = (name: string, isAdmin = false) =>
    accounts.people.create({ email: `${name}@example.com`, name, isAdmin });
  const start = async (personId: string, choice = 'priced') => {
    const work = await create([], { model: choice });
    const { workId, projectId } = work.record;
    await accounts.roles.recordStarter(workId, personId);
    const ended = work.start(undefined, { onAccepted: () => undefined });
    return { work, workId, projectId, ended };
  };
  const sumOf = async (workId: string) =>
    (await eventsOf(workId)).reduce(
      (sum, event) => (event.type === 'usage.updated' ? addCostSums(sum, toCostSum(event.usage)) : sum),
      NO_COST,
    );
  const reasonOf = async (workId: string) => (await store.works.read(await store.works.find(workId))).reason;
  return { ...team, quotas: createQuotas(database), add, start, sumOf, reasonOf };
}

const LAST_MONTH = { days: 30, utcOffset: 0 };

describe('Costs and quotas of a team', { timeout: 240_000 }, () => {
  it('sums what the commits of turns report, by person, project, model and day, and keeps it', async () => {
    const { database, store, add, start, sumOf } = await setUp();
    await spawnWorker(database.url);
    const [ada, ben] = [await add('Ada'), await add('Ben')];
    const [first, second] = [await start(ada.personId), await start(ben.personId, 'unpriced')];
    await Promise.all([first.ended, second.ended]);
    const [mine, theirs] = [await sumOf(first.workId), await sumOf(second.workId)];
    expect(mine.requests).toBeGreaterThan(12);
    expect(theirs.unpricedTokens).toBeGreaterThan(0);
    const report = await readTeamCosts(database, LAST_MONTH);
    expect(report.people).toMatchObject([
      { id: ada.personId, name: 'Ada', requests: mine.requests, unpricedTokens: 0 },
      { id: ben.personId, name: 'Ben', promptTokens: theirs.promptTokens, costUsd: 0 },
    ]);
    expect(report.people?.[0]?.costUsd).toBeCloseTo(mine.costUsd, 9);
    expect(report.models.map(({ name }) => name)).toEqual(['m', 'free']);
    expect(report.projects).toMatchObject([{ id: first.projectId, name: 'Project' }]);
    expect(report.packages).toHaveLength(1);
    expect(report.works.map(({ workId }) => workId)).toEqual([first.workId, second.workId]);
    expect(report.days).toMatchObject([{ requests: report.total.requests }]);
    expect(await readTeamCosts(database, { ...LAST_MONTH, utcOffset: 840 })).toMatchObject({
      total: report.total,
    });

    for (const { work } of [first, second]) await work.close();
    await store.works.remove(await store.works.find(first.workId));
    expect(await readTeamCosts(database, LAST_MONTH)).toMatchObject({
      total: report.total,
      works: [{ workId: second.workId }],
    });
    const only = { projects: [], personId: ben.personId };
    expect(await readTeamCosts(database, { ...LAST_MONTH, only })).toMatchObject({
      total: { promptTokens: theirs.promptTokens },
      people: [{ name: 'Ben' }],
    });
    expect(await readTeamCosts(database, { ...LAST_MONTH, only: { projects: [] } })).toMatchObject({
      total: NO_COST,
      people: [],
    });
  });

  it('counts each stored turn once while workers are killed and commits come together, whatever is closed meanwhile', async () => {
    const { database, quotas, add, start, sumOf, model } = await setUp();
    const ada = await add('Ada');
    await quotas.set({ kind: 'person', subjectId: ada.personId }, { period: 'month', tokens: 1_000_000_000 });
    const started = await Promise.all(Array.from({ length: 8 }, () => start(ada.personId)));
    let isOver = false;
    const ended = Promise.all(started.map((one) => one.ended)).finally(() => {
      isOver = true;
    });
    for (let killed = 0; !isOver && killed < 3; killed++) {
      const asked = model.requests.length;
      const worker = await spawnWorker(database.url, { slots: 8 });
      await vi.waitFor(() => expect(isOver || model.requests.length >= asked + 11).toBe(true), {
        timeout: 60_000,
        interval: 5,
      });
      await worker.kill();
      await database.write('select close_hours()');
    }
    await spawnWorker(database.url, { slots: 8 });
    expect(await ended).toMatchObject(started.map(() => ({ phase: 'Completed' })));
    const sums = await Promise.all(started.map(({ workId }) => sumOf(workId)));
    const total = sums.reduce(addCostSums, NO_COST);
    const rows = await database.read<{ root_id: string; requests: string }>(
      'select root_id, sum(requests) as requests from spending group by root_id',
    );
    expect(new Map(rows.map((row) => [row.root_id, Number(row.requests)]))).toEqual(
      new Map(started.map(({ workId }, index) => [workId, sums[index]?.requests])),
    );
    const [used] = await quotas.listFor(ada.personId, []);
    expect(used?.used?.tokens).toBe(total.promptTokens + total.completionTokens);
    expect((await readTeamCosts(database, LAST_MONTH)).total.costUsd).toBeCloseTo(total.costUsd, 9);
    for (const { work } of started) await work.close();
  });

  it('sums hours that are over once, and asks for the rest as before', async () => {
    const { database, quotas, add, projectId } = await setUp();
    const ada = await add('Ada');
    await quotas.set(
      { kind: 'person', subjectId: ada.personId },
      { period: 'month', tokens: 10, costUsd: 1 },
    );
    await quotas.set({ kind: 'project', subjectId: projectId }, { period: 'month', tokens: 10 });
    const spend = (tree: string, hour: string) =>
      database.write(
        `insert into spending values ($1, ${hour}, 'm', 'p', $2, $3, 1, 100, 10, 0.25, 3)
         on conflict (root_id, hour, model, package, person_id) do update set prompt_tokens = spending.prompt_tokens + 100`,
        [tree, ada.personId, projectId],
      );
    const NOW = "date_trunc('hour', now(), 'UTC')";
    const BEFORE =
      "greatest(date_trunc('month', now(), 'UTC'), date_trunc('hour', now(), 'UTC') - interval '3 hours')";
    const used = async () => (await quotas.listAll()).map((quota) => quota.used);
    for (const tree of ['a', 'b', 'c']) for (const hour of [NOW, BEFORE]) await spend(tree, hour);
    await spend('a', "now() - interval '70 days'");
    const before = await used();
    expect(before).toHaveLength(2);
    for (let look = 0; look < 2; look++) {
      await Promise.all([1, 2, 3].map(() => database.write('select close_hours()')));
      expect(await used()).toEqual(before);
    }
    await spend('a', NOW);
    expect((await used()).map((sum) => sum?.tokens)).toEqual(before.map((sum) => (sum?.tokens ?? 0) + 100));
    // They are read instead of the rows.
    await database.write(`delete from spending where hour < ${NOW}`);
    expect((await used()).map((sum) => sum?.tokens)).toEqual(before.map((sum) => (sum?.tokens ?? 0) + 100));
  });

  it('stops the Works of a person together when the quota is spent, and continues them when it is raised', async () => {
    const { database, quotas, add, start, sumOf, reasonOf, model } = await setUp();
    await add('Root', true);
    const ada = await add('Ada');
    const [own, other] = [{ kind: 'person', subjectId: ada.personId } as const, { kind: 'default' } as const];
    await quotas.set(other, { period: 'day', tokens: 1 });
    await quotas.set(own, { period: 'month', tokens: 600 });
    await Promise.all([spawnWorker(database.url), spawnWorker(database.url)]);
    const started = [await start(ada.personId), await start(ada.personId), await start(ada.personId)];
    await vi.waitFor(
      async () => {
        for (const { workId } of started) expect((await reasonOf(workId))?.code).toBe('QUOTA_EXCEEDED');
        const waiting = await database.read(
          "select from commands where state = 'handed-over' and due_at > now() and not exists (select from claims where claimed_until > now())",
        );
        expect(waiting).toHaveLength(3);
      },
      { timeout: 60_000, interval: 50 },
    );
    const [spent] = await Promise.all([quotas.listFor(ada.personId, [])]);
    expect(spent).toMatchObject([{ kind: 'person', name: 'Ada', tokens: 600 }]);
    const used = spent[0]?.used?.tokens ?? 0;
    const sums = await Promise.all(started.map(({ workId }) => sumOf(workId)));
    expect(used).toBe(sums.reduce((sum, cost) => sum + cost.promptTokens + cost.completionTokens, 0));
    // Each Work may have been in a turn when the others spent the rest.
    expect(used).toBeGreaterThanOrEqual(600);
    expect(used).toBeLessThan(600 + 3 * TOKENS_OF_A_TURN);
    const [{ workId } = { workId: '' }] = started;
    expect(await reasonOf(workId)).toMatchObject({
      message: expect.stringMatching(
        /^Ada used [\d,]+ \/ 600 tokens of this month; Root can raise the quota/,
      ) as string,
      details: { admins: 'Root', until: expect.stringMatching(/-01T00:00:00Z$/) as string },
    });

    const asked = model.requests.length;
    await quotas.set(own, { period: 'month', tokens: used });
    await quotas.set(own, { period: 'month', costUsd: 1_000 });
    const ended = await Promise.all(started.map((one) => one.ended));
    expect(ended).toMatchObject(started.map(() => ({ phase: 'Completed' })));
    expect(model.requests.length).toBeGreaterThan(asked);
    for (const { work } of started) await work.close();
  });

  it('warns that money of a model without a price cannot be counted, and counts its tokens', async () => {
    const { database, quotas, add, start, eventsOf, projectId } = await setUp();
    const ada = await add('Ada');
    await quotas.set({ kind: 'project', subjectId: projectId }, { period: 'month', costUsd: 1, tokens: 600 });
    await expect(quotas.set({ kind: 'person', subjectId: projectId }, undefined)).resolves.toBeUndefined();
    await expect(
      quotas.set({ kind: 'person', subjectId: projectId }, { period: 'day', tokens: 1 }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(quotas.set({ kind: 'project' }, { period: 'day', tokens: 1 })).rejects.toMatchObject({
      code: 'USAGE',
    });
    await spawnWorker(database.url);
    const { work, workId } = await start(ada.personId, 'unpriced');
    const stopped = () =>
      vi.waitFor(
        async () =>
          expect((await eventsOf(workId)).at(-1)).toMatchObject({
            type: 'phase.changed',
            reason: { code: 'QUOTA_EXCEEDED', details: { subject: 'Project' } },
          }),
        { timeout: 60_000, interval: 50 },
      );
    await stopped();
    const events = await eventsOf(workId);
    expect(events.filter((event) => event.type === 'warning')).toMatchObject([{ code: 'PRICE_UNKNOWN' }]);
    expect(await quotas.listAll()).toMatchObject([
      {
        kind: 'project',
        name: 'Project',
        used: { costUsd: 0, unpricedTokens: expect.any(Number) as number },
      },
    ]);
    // A new period.
    await database.write("update spending set hour = hour - interval '40 days'");
    const quota = await openQuotas(database);
    expect(await quota.findExceeded(workId)).toBeUndefined();
    expect(await quota.limitsCost(workId)).toBe(true);
    quota.close();
    await work.close();
  });
});
