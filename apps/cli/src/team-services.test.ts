import { describe, expect, it } from 'vitest';
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
