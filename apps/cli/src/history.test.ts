import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runEventSchema } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { type CliRig, createCliRig } from './testing/cli-rig.ts';
import { ROOT } from './testing/running-command.ts';

const hello = join(ROOT, 'examples/hello-branch');

/** One completed run, and a later one that waits. */
async function rigWithRuns(): Promise<CliRig> {
  const rig = await createCliRig();
  await rig.run('run', hello, '-p', 'project', '--rehearsal', '-i', 'Nova');
  await rig.run('run', hello, '-p', 'project', '--rehearsal');
  return rig;
}

describe('runs', () => {
  it('[C17] lists runs, newest first, and deletes one', async () => {
    const rig = await rigWithRuns();
    const { out, code } = await rig.run('runs');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^[0-9a-f]{8} {2}… waiting for an answer {2}hello-branch · Hello, branch {2}project {2}just now$/,
      ),
      expect.stringMatching(
        /^[0-9a-f]{8} {2}✔ completed {14}hello-branch · Hello, branch {2}project {2}just now$/,
      ),
    ]);
    expect((await rig.run('runs', '--project', '.')).out).toContain('There are no runs in this project.');

    const refused = await rig.run('runs', 'delete', 'last');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('Confirm with --yes') as string });
    expect((await rig.run('runs', 'delete', 'last', '--yes')).out).toMatch(
      /^✔ deleted run [0-9a-f]{8} \(hello-branch · Hello, branch\)/,
    );
    expect(JSON.parse((await rig.run('runs', '--json', '--project', 'project')).out)).toMatchObject([
      { record: { phase: 'Completed' } },
    ]);
  });

  it('[C17] reports that there are no runs, and lists damaged ones', async () => {
    const rig = await createCliRig();
    expect((await rig.run('runs')).out).toBe(
      'There are no runs yet. Start one with: crewagent run PACKAGE\n',
    );
    expect(await rig.run('show', 'last')).toMatchObject({ code: 2, err: 'Error: There is no run yet.\n' });
    await rig.run('run', hello, '-p', 'project', '--rehearsal');
    await writeFile(join(await rig.lastRun(), 'run.json'), '{');
    expect((await rig.run('runs')).out).toMatch(/^[0-9a-f]{8} {2}✖ damaged {2}.*run\.json/);
    expect((await rig.run('doctor')).out).toContain('1 of them damaged');
    expect((await rig.run('runs', 'delete', 'last', '--yes')).code).toBe(0);
  });
});

describe('in Chinese', () => {
  it('[C1] what is wrong with a package is said in the language of the terminal; JSON stays the same', async () => {
    const rig = await createCliRig({ LC_ALL: 'zh_CN.UTF-8' });
    const { out } = await rig.run('validate', 'nowhere.bmad');
    expect(out).toContain('找不到这个文件或文件夹。');
    expect(out).toContain('请检查路径，相对路径从当前文件夹算起。');
    expect(JSON.parse((await rig.run('validate', 'nowhere.bmad', '--json')).out)).toMatchObject({
      errors: [{ code: 'NOT_FOUND', message: 'there is no such file or folder' }],
    });
  });

  it('[C17] runs, show and conversations speak the language of the terminal; JSON stays the same', async () => {
    const rig = await createCliRig({ LC_ALL: 'zh_CN.UTF-8' });
    expect((await rig.run('runs')).out).toContain('还没有运行');
    const { out: asked } = await rig.run('run', hello, '-p', 'project', '--rehearsal');
    expect(asked).toContain('… 等待回答');
    expect((await rig.run('runs', 'delete', 'last', '--yes')).code).toBe(0);
    const { out: ended } = await rig.run('run', hello, '-p', 'project', '--rehearsal', '-i', 'Nova');
    expect(ended).toMatch(/用量 {4}\d+ 轮 · 输入 [\d,]+ token，输出 [\d,]+ · \d+ 秒/);
    expect((await rig.run('runs')).out).toMatch(
      /✔ 已完成 {2}hello-branch · Hello, branch {2}project {2}刚刚/,
    );
    const { out: shown } = await rig.run('show', 'last');
    for (const text of ['状态    ✔ 已完成', '开始    刚刚，更新于刚刚', '个事件，完整', '步骤', '最近的消息'])
      expect(shown).toContain(text);
    expect(JSON.parse((await rig.run('runs', '--json')).out)).toMatchObject([
      { record: { phase: 'Completed' } },
    ]);
  });
});

describe('show', () => {
  it('[C20] prints the position of a run and what it waits for', async () => {
    const rig = await createCliRig();
    await rig.run('run', hello, '-p', 'project', '--rehearsal');
    const { out } = await rig.run('show', 'last');
    expect(out).toContain('  phase   … waiting for an answer');
    expect(out).toContain(`  project ${rig.project}`);
    expect(out).toContain('  ▸ Intake (step-01-intake)\n  ○ Decide the project type');
    expect(out).toContain('  ? What is the project called? (projectName, text)');
    expect(out).toMatch(/next {4}crewagent answer [0-9a-f]{8} --set projectName=…/);
    expect(out).toMatch(/ {2}log {5}\d+ events, intact/);
    const done = await rig.run('answer', 'last', 'Nova');
    expect(done.code).toBe(0);
    const complete = await rig.run('show', 'last');
    expect(complete.out).toContain('  ✓ Intake (step-01-intake)');
    expect(complete.out).toContain('  projectName = "Nova"');
    expect(complete.out).toContain('  artifacts/hello-branch/summary.md');
  });

  it('[C20] prints the log as text and JSON, and detects damage', async () => {
    const rig = await createCliRig();
    await rig.run('run', hello, '-p', 'project', '--rehearsal');
    const log = await rig.run('show', 'last', '--log');
    expect(log.out).toMatch(/^ {3}1 \S+ run\.created {8}Hello, branch · hello-branch@1\.0\.0$/m);
    const lines = (await rig.run('show', 'last', '--log', '--json')).out.trimEnd().split('\n');
    const events = lines.map((line) => runEventSchema.parse(JSON.parse(line)));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const report = JSON.parse((await rig.run('show', 'last', '--json')).out) as {
      record: { projectId: string; runId: string };
      view: { phase: string; pending: unknown };
      log: unknown;
    };
    expect(report.view).toMatchObject({ phase: 'WaitingUser', pending: { kind: 'question' } });
    const { projectId, runId } = report.record;
    const file = join(rig.store, 'projects', projectId, 'runs', runId, 'logs/execution.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace('Intake', 'Untake'));
    expect((await rig.run('show', 'last')).out).toMatch(/log {5}damaged at event \d+/);
  });
});

describe('undo', () => {
  it('[C20] works without the package and without a model', async () => {
    const rig = await createCliRig();
    await rig.run('run', hello, '-p', 'project', '--rehearsal', '-i', 'Nova');
    expect((await rig.run('packages', 'remove', 'hello-branch')).code).toBe(0);
    expect((await rig.run('undo', 'last', '--all')).code).toBe(0);
    expect((await rig.run('runs')).out).toContain('completed');
  });

  it('[C20] lists the changes, and undoes none until some are selected', async () => {
    const rig = await createCliRig();
    await rig.run('run', hello, '-p', 'project', '--rehearsal', '-i', 'Nova');
    const summary = join(rig.project, 'artifacts/hello-branch/summary.md');
    const bare = await rig.run('undo', 'last');
    expect(bare.code).toBe(0);
    expect(bare.out).toMatch(
      /^3 changes to undo:\n {2}created {2}@project\/artifacts\/hello-branch\/summary\.md {2}node end-99, call /,
    );
    expect(bare.out).toMatch(
      /\nNothing was changed\. Choose the changes: crewagent undo [0-9a-f]{8} --all, /,
    );
    expect(bare.err).toBe('');
    expect((await rig.run('undo', 'last', '--all', '--dry-run')).code).toBe(0);
    expect(await readFile(summary, 'utf8')).toContain('rehearsal');

    expect((await rig.run('undo', 'last', '--node', 'end-99')).out).toBe(
      '✔ @project/artifacts/hello-branch/summary.md removed\n',
    );
    await expect(readFile(summary)).rejects.toThrow('ENOENT');
    expect((await rig.run('undo', 'last', '--node', 'end-99')).out).toBe('There is nothing to undo.\n');
    expect((await rig.run('undo', 'last', '--node', 'end-99', '--redo', '--json')).out).toBe(
      '{"files":[{"path":"@project/artifacts/hello-branch/summary.md","outcome":"recreated"}]}\n',
    );
    expect(await rig.run('undo', 'last', '--call', 'nobody')).toMatchObject({
      code: 2,
      err: expect.stringContaining('The call "nobody" changed nothing here') as string,
    });
  });

  it('[C20] skips files that a person changed since', async () => {
    const rig = await createCliRig();
    await rig.run('run', hello, '-p', 'project', '--rehearsal', '-i', 'Nova');
    const intake = join(rig.project, 'artifacts/hello-branch/intake.md');
    await appendFile(intake, 'mine\n');
    const { code, out } = await rig.run('undo', 'last', '--all');
    expect(code).toBe(1);
    expect(out).toMatch(/^✖ @project\/artifacts\/hello-branch\/intake\.md not undone: .+$/m);
    expect(await readFile(intake, 'utf8')).toContain('mine\n');
  });
});

describe('rewind', () => {
  it('[C17] starts the step again that a run is at, or an earlier one, and takes its files back on request', async () => {
    const rig = await rigWithRuns();
    const again = await rig.run('rewind', 'last');
    expect(again).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^✔ Run [0-9a-f]{8} is at the beginning of step-01-intake\./) as string,
    });
    expect((await rig.run('show', 'last')).out).toContain('▸ Intake (step-01-intake)');
    const runs = JSON.parse((await rig.run('runs', '--json')).out) as {
      record: { runId: string; phase: string };
    }[];
    const done = runs.find(({ record }) => record.phase === 'Completed')?.record.runId ?? '';
    const back = await rig.run('rewind', done, '--node', 'step-01-intake', '--undo', '--json');
    expect(back.err).toBe('');
    expect(JSON.parse(back.out)).toMatchObject({
      nodeId: 'step-01-intake',
      stop: { reason: { code: 'rewound' } },
    });
    expect(await rig.run('rewind', 'last', '--node', 'nowhere')).toMatchObject({ code: 2 });
  });
});

describe('search', () => {
  it('[C17] finds words in messages and files, and says when there are none', async () => {
    const rig = await rigWithRuns();
    const { out, code } = await rig.run('search', 'NOVA', '--limit', '5');
    expect(code).toBe(0);
    expect(out).toMatch(/^Hello, branch {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}[0-9a-f-]{36}\n/);
    expect(out).toMatch(/^ {2}(?:you|answer|reply|artifacts\/[\w/.-]+): .*Nova/m);
    const found = JSON.parse((await rig.run('search', 'Nova', '--json')).out) as {
      works: unknown[];
      total: number;
    };
    expect([found.works.length, found.total]).toEqual([1, 2]);
    expect((await rig.run('search', 'no such word')).out).toBe(
      'Nothing was found in 2 runs and conversations.\n',
    );
    expect(await rig.run('search', 'x', '--limit', 'many')).toMatchObject({ code: 2 });
  });
});
