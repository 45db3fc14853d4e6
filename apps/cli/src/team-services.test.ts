import { describe, expect, it, onTestFinished } from 'vitest';
import { createAccounts } from '../../../packages/team/src/accounts/accounts.ts';
import { openDatabase } from '../../../packages/team/src/database/database.ts';
import { testDatabaseUrl } from '../../../packages/team/src/testing/team-rig.ts';
import { createCliRig } from './testing/cli-rig.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

async function setUp() {
  const databaseUrl = await testDatabaseUrl({ isEmpty: false });
  const rig = await createCliRig({ CREWAGENT_DATABASE_URL: databaseUrl, CREWAGENT_SECRET_KEY: KEY });
  return { ...rig, databaseUrl };
}

const toObjects = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { level: string; time: string; message: string });

// Processes start; on a busy machine that takes a while.
describe('The programs of a team', { timeout: 240_000 }, () => {
  it('report one JSON object per line with --log json, and the workers are listed', async () => {
    const { spawn, run } = await setUp();
    const worker = spawn('worker', '--slots', '3', '--labels', 'gpu,eu', '--log', 'json');
    await worker.printed('ready');
    const status = await run('team', 'status');
    expect(status.out).toMatch(/0 of 3 slots in use, v\S+, gpu, eu, ready/);
    expect(status.out).toContain('Commands that wait for a worker: 0');
    worker.kill('SIGTERM');
    const { code, err } = await worker.ended;
    expect([code, err]).toEqual([0, '']);
    const lines = toObjects(worker.out());
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'The worker is ready.'],
      ['info', expect.stringContaining('Other workers go on') as string],
    ]);
    for (const { time } of lines) expect(new Date(time).toISOString()).toBe(time);
  });

  it('show costs and quotas, set them with an entry in the audit log, and speak Chinese', async () => {
    const { run, databaseUrl } = await setUp();
    const chinese = await createCliRig({ CREWAGENT_DATABASE_URL: databaseUrl, LANG: 'zh_CN.UTF-8' });
    expect((await chinese.run('team', 'status')).out).toContain('没有正在运行的工作进程');
    expect((await run('team', 'costs')).out).toMatch(
      /^No model has worked for the team since \d{4}-\d\d-\d\d\./,
    );
    expect((await run('team', 'quota')).out).toContain('Nothing is limited.');
    const database = openDatabase(databaseUrl, { connections: 1 });
    onTestFinished(() => database.close());
    const { personId } = await createAccounts({ database }).people.create({
      ...{ email: 'ada@example.com', name: 'Ada' },
    });
    await database.write(
      `insert into spending values ('w', date_trunc('hour', now()), 'm', 'p', $1, 'gone', 2, 1000, 200, 1.5, 0),
         ('w', date_trunc('hour', now()) - interval '40 days', 'm', 'p', $1, 'gone', 2, 1000, 200, 1.5, 600)`,
      [personId],
    );
    expect((await run('team', 'costs')).out).toMatch(/Ada +2 +1,200 +\$1\.50\ntotal +2 +1,200/);
    const old = new Date(Date.now() - 50 * 86_400_000).toISOString().slice(0, 10);
    expect((await run('team', 'costs', '--by', 'project', '--since', old)).out).toMatch(
      /\(deleted\) +4 +2,400 +\$3\.00 \+ unknown/,
    );
    const json = JSON.parse((await run('team', 'costs', '--by', 'model', '--json')).out) as object;
    expect(json).toMatchObject({ days: 30, total: { costUsd: 1.5 }, models: [{ name: 'm', requests: 2 }] });
    for (const args of [
      ...[['--tokens', '5'], ['--default'], ['--default', '--person', 'ada@example.com', '--tokens', '5']],
      ...[
        ['--person', 'bob@example.com', '--tokens', '5'],
        ['--default', '--remove', '--cost', '1'],
      ],
    ])
      expect((await run('team', 'quota', ...args)).code).toBe(2);
    await run('team', 'quota', '--default', '--tokens', '5000', '--per', 'day');
    const set = await run('team', 'quota', '--person', 'Ada@example.com', '--cost', '20');
    expect(set.out).toMatch(/each other person +5,000 tokens a day/);
    expect(set.out).toMatch(/person Ada +\$20\.00 a month +1,200 tokens, \$1\.50/);
    expect((await run('team', 'quota', '--default', '--remove', '--json')).out).not.toContain('default');
    const entries = await createAccounts({ database }).audit.list({ limit: 9 });
    expect(entries.map(({ via, action, details }) => [via, action, details?.kind])).toEqual([
      ['command', 'quotas.put', 'default'],
      ['command', 'quotas.put', 'person'],
      ['command', 'quotas.put', 'default'],
    ]);
  });

  it('name no secret in what they report', async () => {
    const { spawn, databaseUrl } = await setUp();
    const withPassword = databaseUrl
      .replace('://', '://nobody:a-password-of-the-team@')
      .replace(/@[^@]*@/, '@');
    // The database lets nobody in, and the reason names who asked.
    const failed = await spawn('worker', '--log', 'json', '--database-url', withPassword).ended;
    expect(failed.code).not.toBe(0);
    expect(failed.out + failed.err).not.toContain('a-password-of-the-team');
    expect(failed.out + failed.err).not.toContain(KEY);
  });
});
