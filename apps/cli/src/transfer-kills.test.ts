/** Both stores when `push`, `pull` or the server between them is killed: each is as it was or as it shall be, and the command can be repeated. */
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRuntime } from '@crewagent/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readTree, writeTree } from '../../../packages/core/src/testing/file-tree.ts';
import { killPoints } from '../../../packages/core/src/testing/kill-points.ts';
import { ANSWERS } from '../../../packages/server/src/testing/server-rig.ts';
import { startCountingProxy } from '../../../packages/team/src/testing/counting-proxy.ts';
import { spawnWorker } from '../../../packages/team/src/testing/worker-process.ts';
import { createCliRig } from './testing/cli-rig.ts';
import { DIE } from './testing/die-at-step.ts';
import { type Shown, startRun, startTeam } from './testing/transfer-rig.ts';

type Team = Awaited<ReturnType<typeof startTeam>>;
type Laptop = Awaited<ReturnType<typeof createCliRig>>;

/** The run that waits on both sides, and the store of the laptop where it is complete. */
async function startPushed() {
  const team = await startTeam();
  const { rig, runId } = await startRun(team.ada.token);
  const pushed = await rig.run('push', runId, '--to', team.url, '--project', 'Plans');
  expect([pushed.code, pushed.err]).toEqual([0, '']);
  return { team, rig, runId };
}

async function finishHere(rig: Laptop, runId: string): Promise<void> {
  const { code } = await rig.run('resume', runId, '--input', 'Nova', '--model', 'rehearsal', '--json');
  expect([0, 3]).toContain(code);
  expect((await rig.run('show', runId)).code).toBe(0);
}

/** The program as a process that dies at a step; 0: never, the number of steps is returned. */
async function dieAt(point: number, rig: Laptop, env: NodeJS.ProcessEnv, args: readonly string[]) {
  const preload = await rig.write('preload', { 'die.mjs': DIE });
  const counted = join(rig.folder, 'steps');
  const NODE_OPTIONS = `--import=${pathToFileURL(join(preload, 'die.mjs')).href}`;
  const dying = await createCliRig({ ...env, NODE_OPTIONS, DIE_AT: `${point}`, COUNTED: counted });
  const { code, err } = await dying.spawn(...args).ended;
  return { code, err, steps: point === 0 ? Number(await readFile(counted, 'utf8')) : 0 };
}

/** Everything that the team has of a run and its project. Torn if the parts do not fit. */
async function readTeam({ database, projectId }: Team, runId: string) {
  const [works] = await database.read<Record<string, unknown>>(
    `select works.phase, works.record::json ->> 'projectId' as project, last_seq,
       (select count(*)::int from work_events where work_id = $1) as events,
       (select count(*)::int from state_files where work_id = $1) as state,
       (select count(*)::int from work_journal where work_id = $1) as journal,
       (select count(*)::int from work_starters where root_id = $1) as owners,
       (select count(*)::int from workspace_conflicts where root_id = $1) as conflicts,
       (select coalesce(sum(requests), 0)::int from spending where root_id = $1) as paid
     from works join work_heads using (work_id) where work_id = $1`,
    [runId],
  );
  const files = await database.read<{ path: string; entry: string | null }>(
    `select distinct on (path) path, entry from project_files where project_id = $1 order by path, version desc`,
    [projectId],
  );
  if (works) expect(works.events).toBe(works.last_seq);
  return { works, files: files.filter(({ entry }) => entry !== null).map(({ path }) => path) };
}

describe('push and pull', { timeout: 7_200_000 }, () => {
  const bugs: unknown[][] = [];
  afterEach(() => expect(bugs.splice(0).flat()).toEqual([]));

  it('leave the team with the run as it was or as it is here, whenever push is killed; pushed again, it is there', async () => {
    const pushKilled = async (point: number) => {
      const { team, rig, runId } = await startPushed();
      bugs.push(team.bugs);
      const old = await readTeam(team, runId);
      await finishHere(rig, runId);
      const before = await readTree(rig.store);
      const args = ['push', runId, '--to', team.url, '--project', 'Plans'];
      const env = { CREWAGENT_HOME: rig.store, CREWAGENT_TOKEN: team.ada.token };
      const killed = await dieAt(point, rig, env, args);
      const after = await readTeam(team, runId);
      const again = await rig.run(...args);
      expect([point, again.code, again.err]).toEqual([point, 0, '']);
      const last = await readTeam(team, runId);
      // What was there stayed, or all of it is there; the second time adds nothing to a push that was complete.
      expect([old, last]).toContainEqual(after);
      expect(last.works).toMatchObject({ owners: 1, conflicts: 0, paid: 0 });
      expect(last.works).not.toEqual(old.works);
      const logOf = (tree: Record<string, string>) =>
        Object.entries(tree).filter(([path]) => path.includes(runId) && path.endsWith('.jsonl'));
      expect(logOf(await readTree(rig.store))).toEqual(logOf(before));
      const diverged = await rig.run('push', runId, '--to', team.url, '--project', 'Plans', '--json');
      expect(JSON.parse(diverged.out)).toMatchObject({ isNew: false });
      return { ...killed, isThere: after.works?.events === last.works?.events };
    };
    const whole = await pushKilled(0);
    expect(whole.code).toBe(0);
    const seen = new Set<boolean>();
    // The last request is the order; its answer is the last step but the one that follows it.
    for (const point of new Set([...killPoints(whole.steps, 1), whole.steps - 1, whole.steps])) {
      const { code, isThere } = await pushKilled(point);
      expect([point, code]).toEqual([point, null]);
      seen.add(isThere);
    }
    expect([...seen].sort()).toEqual([false, true]);
  });

  it('leave the team as it was or with all of the run, whenever its server is killed; another one takes it', async () => {
    const receiveKilled = async (point: number) => {
      const { team, rig, runId } = await startPushed();
      bugs.push(team.bugs);
      const old = await readTeam(team, runId);
      await finishHere(rig, runId);
      const proxy = await startCountingProxy(team.database.url);
      const server = (
        await createCliRig({
          CREWAGENT_DATABASE_URL: proxy.url,
          CREWAGENT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        })
      ).spawn('serve', '--team', '--log', 'json');
      await server.printed('http://');
      const url = /http:\/\/[^\s"/]+/.exec(server.out())?.[0] ?? '';
      proxy.arm((count) => {
        if (count === point) server.kill('SIGKILL');
      });
      const push = (to: string) => rig.run('push', runId, '--to', to, '--project', 'Plans');
      const killed = await push(url);
      const sent = proxy.counted();
      const after = await readTeam(team, runId);
      const again = await push(team.url);
      expect([point, again.code, again.err]).toEqual([point, 0, '']);
      const last = await readTeam(team, runId);
      expect([old, last]).toContainEqual(after);
      expect(last.works).toMatchObject({ owners: 1, conflicts: 0, paid: 0 });
      server.kill('SIGKILL');
      await server.ended;
      return { killed, sent };
    };
    const { killed, sent } = await receiveKilled(0);
    expect([killed.code, killed.err]).toEqual([0, '']);
    for (const point of killPoints(sent, 1)) {
      const result = await receiveKilled(point);
      if (result.sent >= point && point < sent - 2)
        expect([point, result.killed.code, result.killed.err]).toEqual([
          point,
          2,
          expect.stringContaining('does not answer'),
        ]);
    }
  });

  it('leave the run and its files as they were or as they are there, whenever pull is killed; the next command says which', async () => {
    const team = await startTeam();
    const { database, url, ada } = team;
    bugs.push(team.bugs);
    await spawnWorker(database.url);
    const { rig, runId } = await startRun(ada.token);
    await rig.run('push', runId, '--to', url, '--project', 'Plans');
    const { view } = await ada.api.works.show({ workId: runId });
    const callId = view.pending?.callId ?? '';
    await ada.api.works.answer({ workId: runId, body: { callId, answers: ANSWERS } });
    await vi.waitFor(async () => expect((await ada.api.works.list({})).works[0]?.phase).toBe('Completed'), {
      timeout: 60_000,
    });
    const [before, old] = [join(rig.folder, 'before'), await readTree(rig.project)];
    await cp(rig.project, before, { recursive: true });
    const pullKilled = async (point: number) => {
      const home = join(rig.folder, `store-${point}`);
      await cp(rig.store, home, { recursive: true });
      await rm(rig.project, { recursive: true });
      await cp(before, rig.project, { recursive: true });
      const env = { CREWAGENT_HOME: home, CREWAGENT_TOKEN: ada.token };
      const killed = await dieAt(point, rig, env, ['pull', runId, '--from', url]);
      return { ...killed, after: await createCliRig(env) };
    };
    const whole = await pullKilled(0);
    expect([whole.code, whole.err]).toEqual([0, '']);
    // The files of a Work are checked in a moment after it is complete; a pull waits for that.
    const there = await readTeam(team, runId);
    const pulled = await readTree(rig.project);
    expect(pulled).not.toEqual(old);
    // The last ones are those of the change itself.
    const last = Array.from({ length: 8 }, (_, back) => whole.steps - back);
    const seen = new Set<string>();
    for (const point of new Set([...killPoints(whole.steps, 1), ...last])) {
      const { code, after } = await pullKilled(point);
      expect([point, code]).toEqual([point, null]);
      const shown = await after.run('show', runId, '--json');
      const { phase } = (JSON.parse(shown.out) as Shown).record;
      seen.add(`${phase} ${shown.err}`);
      expect([point, await readTree(rig.project)]).toEqual([point, phase === 'Completed' ? pulled : old]);
      expect(JSON.parse((await after.run('runs', '--json')).out)).toMatchObject([{ runId }]);
      const again = await after.run('pull', runId, '--from', url);
      expect([point, again.code, again.err]).toEqual([point, 0, '']);
      expect(await readTree(rig.project)).toEqual(pulled);
      expect(again.out).toContain(phase === 'Completed' ? 'is here already' : 'moved');
    }
    const said = `The run ${runId.slice(-8)} from ${new URL(url).host} is here`;
    expect([...seen].some((one) => one.startsWith('WaitingUser'))).toBe(true);
    expect([...seen].some((one) => one.startsWith('Completed') && one.includes(said))).toBe(true);
    expect(await readTeam(team, runId)).toEqual(there);
  });

  it('leave the files of the project alone if the pulled run is open here, or something was changed here', async () => {
    const { team, rig, runId } = await startPushed();
    bugs.push(team.bugs);
    const old = join(rig.folder, 'old');
    await cp(rig.store, old, { recursive: true });
    const before = join(rig.folder, 'before');
    await cp(rig.project, before, { recursive: true });
    await finishHere(rig, runId);
    await rig.run('push', runId, '--to', team.url, '--project', 'Plans');
    await rm(rig.project, { recursive: true });
    await cp(before, rig.project, { recursive: true });
    const open = await createCliRig({ CREWAGENT_HOME: old, CREWAGENT_TOKEN: team.ada.token });
    const { works } = createRuntime({ storeRoot: old }).store;
    const lease = await works.lease(await works.find(runId));
    const files = await readTree(rig.project);
    const locked = await open.run('pull', runId, '--from', team.url);
    expect([locked.code, locked.err]).toEqual([2, expect.stringContaining('open here')]);
    expect(await readTree(rig.project)).toEqual(files);
    await lease.release();
    expect((await open.run('pull', runId, '--from', team.url)).code).toBe(0);

    const other = await createCliRig({ CREWAGENT_TOKEN: team.ada.token });
    const mine = Object.fromEntries((await readTeam(team, runId)).files.map((path) => [path, 'mine']));
    await writeTree(other.project, mine);
    const refused = await other.run('pull', runId, '--from', team.url, '--project', other.project);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Nothing was pulled')]);
    for (const path of Object.keys(mine))
      expect(await readFile(join(other.project, path), 'utf8')).toBe('mine');
    expect((await other.run('show', runId)).code).toBe(2);
  });
});
