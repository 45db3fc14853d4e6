import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BundlePlan, ShownBundle } from '@crewagent/protocol/api/bundles';
import { describe, expect, it } from 'vitest';
import { readTree, writeTree } from '../../../packages/core/src/testing/file-tree.ts';
import { killPoints } from '../../../packages/core/src/testing/kill-points.ts';
import { ANSWERS, HELLO_BRANCH } from '../../../packages/server/src/testing/server-rig.ts';
import { createCliRig } from './testing/cli-rig.ts';
import { DIE } from './testing/die-at-step.ts';

/** A run of hello-branch that waits for an answer, and the file that it is exported to. */
async function startRun() {
  const rig = await createCliRig();
  const { out } = await rig.run('run', HELLO_BRANCH, '-p', rig.project, '--rehearsal', '--json');
  const { runId } = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as { runId: string };
  return { rig, runId, file: join(rig.folder, 'run.crewrun') };
}

const inputs = Object.values(ANSWERS).flatMap((answer) => ['--input', String(answer)]);

/** A run that is complete and wrote files. */
async function completeRun() {
  const started = await startRun();
  const { rig, runId } = started;
  const { code } = await rig.run('resume', runId, ...inputs, '--rehearsal', '--json');
  expect(code).toBe(0);
  return started;
}

describe('crewagent export --bundle and open', { timeout: 240_000 }, () => {
  it('[W3] shows a signed run, [W1] continues it in another store, and says what to do next', async () => {
    const { rig, runId, file } = await startRun();
    await rig.run('keys', 'create', 'Ada');
    const exported = await rig.run('export', runId, '-o', file, '--sign');
    expect([exported.code, exported.err]).toEqual([0, '']);
    expect(exported.out).toContain('signed with Ada');
    expect((await rig.run('export', runId, '-o', file)).err).toContain('--force');
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const other = await createCliRig();
    const shown = await other.run('open', file, '-p', other.project);
    expect([shown.code, shown.err]).toEqual([0, '']);
    for (const text of ['Hello, branch', 'a key that is new here', '1 proved', '--continue'])
      expect(shown.out).toContain(text);
    const json = JSON.parse(
      (await other.run('open', file, '-p', other.project, '--json')).out,
    ) as ShownBundle & {
      continuing: BundlePlan;
    };
    expect(json).toMatchObject({ work: { workId: runId }, continuing: { relation: 'new' } });
    expect((await other.run('runs', '--json')).out.trim()).toBe('[]');

    const asked = await other.run('open', file, '-p', other.project, '--continue');
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('--yes')]);
    const gone = await other.run('open', file, '-p', other.project, '--continue', '--yes', '--rehearsal');
    expect([gone.code, gone.err]).toEqual([3, '']);
    const end = await other.run('resume', runId, ...inputs, '--rehearsal', '--json');
    expect(end.code).toBe(0);
    expect((await other.run('show', runId, '--log')).out).toContain('run.crewrun');
    const again = await other.run('open', file, '-p', other.project, '--continue', '--yes');
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('further than the file')]);
  });

  it('[W5] asks for a passphrase only where it can, and refuses what is no run with a sentence', async () => {
    const { rig, runId, file } = await startRun();
    const secret = { CREWAGENT_HOME: rig.store, PASS: 'correct horse' };
    const withPass = await createCliRig(secret);
    expect((await withPass.run('export', runId, '-o', file, '--passphrase-env', 'PASS')).code).toBe(0);
    expect((await rig.run('export', runId, '-o', `${file}2`, '--bundle', '--encrypt')).err).toContain(
      '--passphrase-env',
    );
    expect((await rig.run('open', file)).err).toContain('--passphrase-env');
    expect((await rig.run('open', file, '--passphrase-env', 'NONE')).err).toContain('NONE');
    const opened = await withPass.run('open', file, '--passphrase-env', 'PASS');
    expect([opened.code, opened.err]).toEqual([0, expect.stringContaining('has all of the run')]);
    expect(opened.out + opened.err).not.toContain('correct horse');
    await writeFile(join(rig.folder, 'no.crewrun'), '# Notes');
    // It would be waited for.
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(rig.folder, 'pipe.crewrun')]);
    for (const path of ['no.crewrun', 'missing.crewrun', 'pipe.crewrun', '.'])
      expect((await rig.run('open', join(rig.folder, path))).code).toBe(2);
    const outside = await rig.run('export', runId, '-o', `${file}3.crewrun`, '--no-package');
    expect(outside.err).toContain('not inside');
    const other = await createCliRig();
    const lacking = await other.run('open', `${file}3.crewrun`, '-p', other.project);
    expect([lacking.code, lacking.err]).toEqual([0, expect.stringContaining('Install it first')]);
  });

  it('[W4] takes over all or nothing, whenever it is killed', async () => {
    const { rig, runId, file } = await completeRun();
    expect((await rig.run('export', runId, '-o', file)).code).toBe(0);
    const whole = await readTree(rig.project);
    const preload = await rig.write('preload', { 'die.mjs': DIE });
    const NODE_OPTIONS = `--import=${pathToFileURL(join(preload, 'die.mjs')).href}`;
    const dieAt = async (point: number) => {
      const home = join(rig.folder, `store-${point}`);
      const project = join(rig.folder, `project-${point}`);
      const counted = join(rig.folder, `renames-${point}`);
      await mkdir(project);
      const env = { CREWAGENT_HOME: home, DIE_AT: `${point}`, COUNTED: counted };
      const dying = await createCliRig({ ...env, NODE_OPTIONS });
      const { code } = await dying.spawn('open', file, '-p', project, '--continue', '--yes').ended;
      return { code, counted, project, after: await createCliRig(env) };
    };
    const complete = await dieAt(0);
    expect(complete.code).toBe(0);
    const renames = Number(await readFile(complete.counted, 'utf8'));
    const seen = new Set<number>();
    for (const point of killPoints(renames, 8)) {
      const { code, project, after } = await dieAt(point);
      expect([point, code]).toEqual([point, null]);
      const runs = JSON.parse((await after.run('runs', '--json')).out) as { runId: string }[];
      seen.add(runs.length);
      const files = (await readdir(project)).length;
      expect([point, runs.length, files > 0]).toEqual([point, runs.length, runs.length === 1]);
      if (runs.length === 1) expect(omitReadme(await readTree(project))).toEqual(omitReadme(whole));
      const again = await after.run('open', file, '-p', project, '--continue', '--yes');
      expect(again.err === '' || again.err.includes('has all of the run')).toBe(true);
      expect(omitReadme(await readTree(project))).toEqual(omitReadme(whole));
    }
    expect([...seen].sort()).toEqual([0, 1]);
  });

  it('[W4] leaves the old file or the new one, whenever an export is killed', async () => {
    const { rig, runId, file } = await completeRun();
    await rig.run('export', runId, '-o', file);
    const before = await readFile(file);
    await writeTree(rig.project, { 'artifacts/more.md': 'x' });
    await rig.run('export', runId, '-o', `${file}.new.crewrun`, '--all-files');
    const after = await readFile(`${file}.new.crewrun`);
    const preload = await rig.write('preload', { 'die.mjs': DIE });
    const NODE_OPTIONS = `--import=${pathToFileURL(join(preload, 'die.mjs')).href}`;
    for (let point = 1, code: number | null = null; code === null; point++) {
      const counted = join(rig.folder, 'renames');
      const dying = await createCliRig({
        CREWAGENT_HOME: rig.store,
        DIE_AT: `${point}`,
        COUNTED: counted,
        NODE_OPTIONS,
      });
      ({ code } = await dying.spawn('export', runId, '-o', file, '--force', '--all-files').ended);
      const now = await readFile(file);
      expect(now.equals(after) || (code === null && now.equals(before))).toBe(true);
      expect((await rig.run('open', file, '-p', rig.project, '--json')).code).toBe(0);
    }
    await rm(file);
    await rig.run('export', runId, '-o', file);
    expect((await readdir(rig.folder)).filter((name) => name.startsWith('.writing'))).toEqual([]);
  });
});

function omitReadme(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => path !== 'README.md'));
}
