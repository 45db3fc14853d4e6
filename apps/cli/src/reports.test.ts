import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RehearsalReport } from '@crewagent/core';
import { describe, expect, it } from 'vitest';
import { ENTRY, type Outcome, ROOT } from './testing/cli-rig.ts';
import { tempDir } from './testing/temp-dir.ts';

const [root, entry] = [ROOT, ENTRY];
const examples = join(root, 'examples');

/** A folder to work in, with a store and a place for temp files of its own. */
function createDesk() {
  const cwd = tempDir();
  const temp = join(cwd, 'temp');
  mkdirSync(temp);
  const env = {
    ...process.env,
    CREWAGENT_HOME: join(cwd, 'store'),
    TMPDIR: temp,
    TEMP: temp,
    TMP: temp,
    FORCE_COLOR: undefined,
    CREWAGENT_MODEL: undefined,
  };
  const crewagent = (...args: string[]): Outcome => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...args], {
      cwd,
      env,
      encoding: 'utf8',
    });
    return { code: status, out: stdout, err: stderr };
  };
  return { cwd, temp, env, crewagent };
}

/** A copy of the package that `new` makes, whose first step cannot be left. */
function writeStuckPackage(cwd: string, crewagent: (...args: string[]) => Outcome): void {
  crewagent('new', 'stuck');
  const file = join(cwd, 'stuck', 'agents.json');
  const agents = JSON.parse(readFileSync(file, 'utf8')) as { agents: Record<string, unknown>[] };
  for (const agent of agents.agents) agent.tools = { fs: { enabled: false } };
  writeFileSync(file, JSON.stringify(agents));
}

describe('rehearse', () => {
  it('[X10] prints a line for each workflow and exits with 0', () => {
    const { temp, crewagent } = createDesk();
    const { code, out, err } = crewagent('rehearse', join(examples, 'multi-workflows'));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').slice(1)).toEqual([
      '  workflow         nodes  edges  runs  warnings',
      '  hello-linear     3/3    2/2    1     0',
      '  decision-record  6/6    6/6    2     0',
      '',
    ]);
    expect(readdirSync(temp)).toEqual([]);
  });

  it('[X10] prints the whole report as one line of JSON', () => {
    const { crewagent } = createDesk();
    const { code, out } = crewagent(
      'rehearse',
      join(examples, 'create-story-micro'),
      '--project',
      join(examples, 'demo-project'),
      '--json',
    );
    expect([code, out.trimEnd().split('\n').length]).toEqual([0, 1]);
    const report = JSON.parse(out) as RehearsalReport;
    expect(report).toMatchObject({ ok: true, workflows: [{ ok: true, nodes: { covered: 6, total: 6 } }] });
  });

  it('[X10] exits with 1 and says what was missed', () => {
    const { cwd, crewagent } = createDesk();
    writeStuckPackage(cwd, crewagent);
    const { code, out } = crewagent('rehearse', 'stuck');
    expect(code).toBe(1);
    expect(out).toMatch(/missed {2}edge \S+ → \S+ \(next\): a run could not go on from/);
    expect(out).toMatch(/stopped run 1 /);
  });

  it('[X10] exits with 2 for bad input, with the findings of validate', () => {
    const { cwd, crewagent } = createDesk();
    mkdirSync(join(cwd, 'empty'));
    const refused = crewagent('rehearse', 'empty');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('NOT_A_PACKAGE');
    for (const args of [['nowhere'], [join(examples, 'hello-branch'), '--workflow', 'x']])
      expect(crewagent('rehearse', ...args)).toMatchObject({ code: 2, out: '' });
    expect(existsSync(join(cwd, 'store'))).toBe(false);
  });

  it('[X10] an interrupt leaves nothing behind and exits with 130', async () => {
    if (process.platform === 'win32') return;
    const { cwd, temp, env, crewagent } = createDesk();
    crewagent('new', 'long');
    writeChain(join(cwd, 'long'), 80);
    const child = spawn(process.execPath, [entry, 'rehearse', 'long', '--json'], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    while (readdirSync(temp).length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(JSON.parse(Buffer.concat(chunks).toString('utf8'))).toMatchObject({ ok: false, isStopped: true });
    expect(readdirSync(temp)).toEqual([]);
  });
});

describe('export', () => {
  function createRunDesk() {
    const desk = createDesk();
    mkdirSync(join(desk.cwd, 'project'));
    const story = join(examples, 'create-story-micro');
    const ran = desk.crewagent('run', story, '--rehearsal', '--project', 'project', '--input', 'story 1.2');
    expect(ran).toMatchObject({ code: 0 });
    return desk;
  }

  it('[X27] prints Markdown, and writes what a file is named for', () => {
    const { cwd, crewagent } = createRunDesk();
    const printed = crewagent('export', 'last');
    expect([printed.code, printed.err]).toEqual([0, '']);
    expect(printed.out).toMatch(/^# create-story-micro\n/);
    expect(crewagent('export', 'last', '--format', 'json').out).toMatch(/^\{\n {2}"format": "crewagent-run"/);
    for (const [name, start] of [
      ['run.md', '# create-story-micro'],
      ['run.html', '<!doctype html>'],
      ['run.json', '{'],
    ] as const) {
      expect(crewagent('export', 'last', '-o', name)).toMatchObject({ code: 0, err: '' });
      const text = readFileSync(join(cwd, name), 'utf8');
      expect(text.startsWith(start)).toBe(true);
      expect(text).not.toContain(cwd);
    }
    expect(readdirSync(cwd).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('[X27] replaces a file only by force, and does not guess a format', () => {
    const { cwd, crewagent } = createRunDesk();
    writeFileSync(join(cwd, 'run.md'), 'mine');
    expect(crewagent('export', 'last', '-o', 'run.md')).toMatchObject({ code: 2, out: '' });
    expect(readFileSync(join(cwd, 'run.md'), 'utf8')).toBe('mine');
    expect(crewagent('export', 'last', '-o', 'run.md', '--force')).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'run.md'), 'utf8')).toMatch(/^# create-story-micro/);
    expect(crewagent('export', 'last', '-o', 'run.txt').err).toContain('--format');
    expect(crewagent('export', 'last', '-o', 'run.txt', '--format', 'md')).toMatchObject({ code: 0 });
    expect(crewagent('export', 'nobody')).toMatchObject({ code: 2 });
  });
});

/** Makes the package's workflow a chain of so many steps. */
function writeChain(folder: string, steps: number): void {
  const ids = Array.from({ length: steps }, (_, index) => `n${index}`);
  const manifest = JSON.parse(readFileSync(join(folder, 'bmad.json'), 'utf8')) as {
    entry: { graph: string };
  };
  const nodes = ids.map((id, index) => ({
    id,
    type: index === steps - 1 ? 'end' : 'step',
    file: `chain/${id}.md`,
  }));
  const edges = ids
    .slice(1)
    .map((id, index) => ({ from: ids[index], to: id, label: 'next', isDefault: true }));
  mkdirSync(join(folder, 'chain'));
  for (const { id, type, file } of nodes)
    writeFileSync(
      join(folder, file),
      `---\nschemaVersion: "1.1"\nnodeId: ${id}\ntype: ${type}\n---\n\n# ${id}\n`,
    );
  const graph = { schemaVersion: '1.1', entryNodeId: 'n0', nodes, edges };
  writeFileSync(join(folder, manifest.entry.graph), JSON.stringify(graph));
}
