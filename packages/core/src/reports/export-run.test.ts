import { readFile, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoryItem } from '@crewagent/protocol/story/items';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { createStoreLayout } from '../store/disk/layout.ts';
import { toAddress } from '../store/work-address.ts';
import { toStored } from '../store/work-records.ts';
import { samplePackage, step } from '../testing/packages/sample-package.ts';
import { createRuntimeRig, type RuntimeRig } from '../testing/rigs/runtime-rig.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { exportRun, TEXT_FORMATS, type TextFormat, writeExport } from './export-run.ts';
import type { ExportSource } from './report.ts';

const examples = fileURLToPath(new URL('../../../../examples/', import.meta.url));

interface ExportedRun {
  readonly rig: RuntimeRig;
  readonly report: ExportSource;
  export(format: TextFormat, folder?: string): Promise<string>;
}

/** hello-branch, rehearsed to its end, with input of a person before and after it. */
async function helloBranch(): Promise<ExportedRun> {
  const rig = await createRuntimeRig();
  const { engine, record } = await rig.create({ package: join(examples, 'hello-branch') });
  await engine.start();
  await engine.answer({ projectName: 'Larder', goal: 'Share lists', existing: `see ${rig.project}/docs` });
  await engine.say('Thank you!');
  return toExported(rig, record.workId);
}

async function toExported(rig: RuntimeRig, runId: string): Promise<ExportedRun> {
  const { record, view, log } = await rig.showRun(runId);
  const report = { record, view: view.own, log };
  const { store } = rig.runtime;
  return { rig, report, export: (format, folder) => exportRun(report, { store, format, folder }) };
}

describe('an export', () => {
  it('[X22] a page begins with the outcome, and ends with an appendix', async () => {
    const run = await helloBranch();
    const page = await run.export('html');
    const headings = [...page.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, text]) => text);
    expect(headings).toEqual(['Evidence', 'Decisions', 'Questions and answers', 'Results', 'Appendix']);
    expect(page).toContain('<b>Completed.</b> The workflow is done; it did not need all of its steps.');
    expect(page).toContain('<dt>Steps done</dt><dd>4 of 4, 1 skipped</dd>');
    expect(page.indexOf('class="diffs"')).toBeGreaterThan(page.indexOf('<h2>Results'));
    expect(page.indexOf('<h2>Result: <code>artifacts/hello-branch/summary.md</code>')).toBeLessThan(
      page.indexOf('<h2>Evidence'),
    );
    expect(page.indexOf('<h3>Facts</h3>')).toBeGreaterThan(page.indexOf('Appendix'));
  });

  it('has the evidence sheet, with what a person accepted and why', async () => {
    const rig = await createRuntimeRig();
    const folder = await tempFolder();
    // A rehearsal runs no commands, and cannot prove this.
    const keys = 'verify: [{run: npm test}]\n';
    await writeTree(folder, samplePackage(undefined, { 'steps/step-01.md': step('step-01', 'step', keys) }));
    const { engine, record } = await rig.create({ package: folder });
    await engine.start();
    await engine.waive({ reason: `Tested in ${rig.project} with <b>care</b>.` });
    await engine.resume();
    const run = await toExported(rig, record.workId);
    const page = await run.export('html');
    expect(page).toContain('<h2>Evidence</h2>');
    expect(page).toContain('Proved: 0 of 2 steps · 1 waived · 1 has nothing to prove');
    expect(page).toContain(
      'The person accepted the step without verify: npm test: Tested in @project with &lt;b&gt;care&lt;/b&gt;.',
    );
    const text = await run.export('md');
    expect(text).toContain('## Evidence');
    expect(text).toContain('Tested in \\@project with \\<b\\>care\\</b\\>.');
    expect(page + text).not.toContain(rig.project);
  });

  it('has none where no step declares anything to prove', async () => {
    const rig = await createRuntimeRig();
    const folder = await tempFolder();
    await writeTree(folder, samplePackage());
    const { engine, record } = await rig.create({ package: folder });
    await engine.start();
    const run = await toExported(rig, record.workId);
    for (const format of ['md', 'html'] as const) expect(await run.export(format)).not.toContain('Evidence');
  });

  it('[T180] has no secrets, not even those that a person typed', async () => {
    const rig = await createRuntimeRig();
    const { engine, record } = await rig.create({ package: join(examples, 'hello-branch') });
    await engine.start();
    const token = `ghp_${'aB3dE5gH7jK9mN1pQr'.repeat(2)}`;
    await engine.answer({ projectName: 'Larder', goal: `Use ${token}`, existing: 'none' });
    const run = await toExported(rig, record.workId);
    for (const format of TEXT_FORMATS) {
      const text = await run.export(format);
      expect(text).not.toContain(token);
      expect(text).toContain('[hidden: GitHub token');
    }
  });

  it('a page lists neither changes nor results that were undone', async () => {
    const { report, rig } = await helloBranch();
    const path = '@project/artifacts/hello-branch/summary.md';
    const undone: StoryItem = {
      seq: 1_000,
      ts: report.record.createdAt,
      kind: 'undone',
      direction: 'undo',
      selection: { all: true },
      files: [{ path, outcome: 'deleted' }],
    };
    const { view } = report;
    const partOf = async (source: ExportSource): Promise<string> => {
      const page = await exportRun(source, { store: rig.runtime.store, format: 'html' });
      return page.slice(page.indexOf('<h2>Results'), page.indexOf('<h2>Appendix'));
    };
    expect(await partOf(report)).toContain('summary.md');
    const part = await partOf({ ...report, view: { ...view, timeline: [...view.timeline, undone] } });
    expect(part).not.toContain('summary.md');
    expect(part).toMatch(/<h2>Results/);
  });

  it('[X22] a page leaves out parts with nothing in them, and counts lines', async () => {
    const run = await helloBranch();
    expect(await run.export('html')).toMatch(/<summary><code>[^<]+<\/code> <small>\+\d+<\/small><\/summary>/);
    const rig = await createRuntimeRig();
    const { record } = await rig.create({ package: join(examples, 'hello-branch') });
    const page = await (await toExported(rig, record.workId)).export('html');
    expect([...page.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, text]) => text)).toEqual(['Appendix']);
  });

  it.each(['md', 'html'] as const)('[X20] a rehearsed run as %s', async (format) => {
    const run = await helloBranch();
    const text = await run.export(format);
    for (const expected of [
      'hello-branch 1.0.0',
      'rehearsal: no model was used',
      'completed',
      'Decide the project type',
      'Plan a fresh start',
      'What is the project called?',
      'Larder',
      'fs.write',
      'artifacts/hello-branch/summary.md',
      'The rehearsal is finished',
      'After the end',
      'Thank you!',
      'projectType',
      'in an unbroken chain',
    ])
      expect(text).toContain(expected);
    const order = [
      'Intake',
      'Decide the project type',
      'Assess what exists',
      'Summarise and close',
      'After the end',
    ];
    const happened = text.slice(text.indexOf('What happened'));
    expect([...order].sort((a, b) => happened.indexOf(a) - happened.indexOf(b))).toEqual(order);
  });

  it('[X20] shows an approval with its diff, and a later visit with its number', async () => {
    const rig = await createRuntimeRig();
    const folder = join(await tempFolder(), 'package');
    await writeTree(folder, {
      ...samplePackage(({ graph }) => {
        for (const node of graph.nodes) if (node.id === 'step-01') node.outputs = ['notes/new.md'];
      }),
    });
    const { engine, record } = await rig.create({ package: folder, approval: 'ask' });
    await engine.start();
    await engine.approve({ decision: 'no', note: 'not there' });
    const run = await toExported(rig, record.workId);
    const page = await run.export('html');
    expect(page).toContain('fs.write asked to change @project/notes/new.md: declined.');
    expect(page).toContain('Note: not there');
    expect(page).toMatch(/<span class="added">\+# step-01<\/span>/);
    expect(await run.export('md')).toContain('+# step-01');
  });

  it('[X20] reports a log that was tampered with', async () => {
    const { rig, report } = await helloBranch();
    const { log } = createStoreLayout(rig.runtime.store.root).work(toAddress(report.record));
    const text = await readFile(log, 'utf8');
    await writeFile(log, text.replace('Share lists', 'Share tests'));
    const run = await toExported(rig, report.record.workId);
    for (const format of ['md', 'html'] as const)
      expect(await run.export(format)).toMatch(/breaks at event \d+: it was damaged or changed/);
    expect(JSON.parse(await run.export('json'))).toMatchObject({ log: { isIntact: false } });
  });

  it('[X20] as JSON is the complete record and view with sorted keys', async () => {
    const run = await helloBranch();
    const text = await run.export('json');
    const { record, view } = run.report;
    const parsed = JSON.parse(text) as Record<string, unknown>;
    expect(Object.keys(parsed)).toEqual(['format', 'log', 'record', 'version', 'view']);
    expect(parsed).toMatchObject({ format: 'crewagent-run', version: 1, log: { isIntact: true } });
    expect(parsed.record).toEqual(toStored(record));
    expect(parsed.record).toMatchObject({ runId: record.workId });
    const whole = JSON.stringify(view).replaceAll(JSON.stringify(run.rig.project).slice(1, -1), '@project');
    expect(parsed.view).toEqual(JSON.parse(whole));
    expect(await run.export('json')).toBe(text);
  });
});

describe('a hand-over', () => {
  it('[X20] has outcome, result, evidence, decisions, answers, files and cost, and no log', async () => {
    const run = await helloBranch();
    const text = await run.export('handover');
    const titles = [...text.matchAll(/^##? (.+)$/gm)].map(([, title]) => title);
    expect(titles).toEqual([
      'Hello, branch',
      'Result: `artifacts/hello-branch/summary.md`',
      'Evidence',
      'Decisions',
      'Questions and answers',
      'Results',
      'Facts',
    ]);
    expect(text).toContain(
      '**Completed.** The workflow is done; it did not need all of its steps. This was a rehearsal',
    );
    expect(text).toMatch(/^- `artifacts\/hello-branch\/summary\.md` \+\d+$/m);
    expect(text).not.toContain('**Tool**');
  });

  it('[X20] is in the language of its reader', async () => {
    const { report, rig } = await helloBranch();
    const inChinese = (format: TextFormat) =>
      exportRun(report, { store: rig.runtime.store, format, language: 'zh-CN' });
    const text = await inChinese('handover');
    expect(text).toContain('**已完成。** 工作流已完成，其中有些步骤没有用到。这是没有使用模型的演练');
    expect([...text.matchAll(/^## ([^:：\n]+)/gm)].map(([, title]) => title)).toEqual([
      '成果',
      '证据',
      '决定',
      '问题与回答',
      '成果',
      '基本信息',
    ]);
    const page = await inChinese('html');
    expect(page).toContain('<html lang="zh-CN">');
    for (const whole of [text, page, await inChinese('md')])
      expect(
        whole.match(/\b(?:Evidence|Proved|Answer|Facts|Question|Progress|What happened|Turns)\b/g),
      ).toBeNull();
  });

  it('[X20] is a Word file', async () => {
    const { report, rig } = await helloBranch();
    const file = await exportRun(report, { store: rig.runtime.store, format: 'docx' });
    const { 'word/document.xml': document = new Uint8Array() } = unzipSync(Buffer.from(file));
    const xml = strFromU8(document);
    expect(xml).toContain('<w:pStyle w:val="Heading1"/>');
    expect(xml).toContain('Share lists');
    expect(xml).not.toContain(rig.project);
  });
});

describe('paths of this machine', () => {
  it.each(TEXT_FORMATS)('[X20] none is in %s', async (format) => {
    const run = await helloBranch();
    const text = await run.export(format, run.rig.project);
    for (const path of [run.rig.root, run.rig.project, run.rig.runtime.store.root, homedir()])
      expect(text).not.toContain(path);
    expect(text).toContain('see @project/docs');
  });

  it.each(['md', 'json', 'html'] as const)(
    '[X20] not even where somebody wrote one, in %s',
    async (format) => {
      const run = await helloBranch();
      const { rig, report } = run;
      const { root } = rig.runtime.store;
      const state = createStoreLayout(rig.runtime.store.root).work(toAddress(report.record)).state;
      const file = join(rig.root, 'tapes', 'take-1.jsonl');
      const texts = [`${root}/settings.json`, `file://${rig.project}/a`, `"${state}"`, join(homedir(), 'x')];
      const view = {
        ...report.view,
        model: { kind: 'replay', file } as const,
        timeline: [
          ...report.view.timeline,
          ...texts.map(
            (message) =>
              ({
                seq: 1,
                ts: report.record.createdAt,
                kind: 'notice',
                level: 'info',
                code: 'c',
                message,
              }) as const,
          ),
        ],
      };
      const record = { ...report.record, model: view.model };
      const text = await exportRun({ ...report, record, view }, { store: rig.runtime.store, format });
      for (const path of [rig.root, homedir()]) expect(text).not.toContain(path);
      const plain = text.replaceAll('\\', '');
      for (const shown of ['(store)/settings.json', 'file:@project/a', '@state', '~/x', 'take-1.jsonl'])
        expect(plain).toContain(shown);
    },
  );
});

describe('files', () => {
  it('[X20] are linked from inside the project only', async () => {
    const run = await helloBranch();
    const { project, root } = run.rig;
    const summary = 'artifacts/hello-branch/summary.md';
    expect(await run.export('html', project)).toContain(`<a href="./${summary}">`);
    expect(await run.export('html', join(project, 'artifacts'))).toContain(`<a href="../${summary}">`);
    expect(await run.export('md', project)).toContain(`[\`${summary}\`](./${summary})`);
    for (const folder of [undefined, root]) {
      expect(await run.export('html', folder)).not.toContain('<a ');
      expect(await run.export('md', folder)).toContain(`- \`${summary}\``);
    }
  });

  it('[X20] an existing file is replaced only if forced, and then atomically', async () => {
    const file = join(await tempFolder(), 'run.md');
    await writeExport(file, 'one', { isForced: false });
    await expect(writeExport(file, 'two', { isForced: false })).rejects.toMatchObject({
      code: 'TARGET_EXISTS',
    });
    expect(await readFile(file, 'utf8')).toBe('one');
    await writeExport(file, 'two', { isForced: true });
    expect(await readFile(file, 'utf8')).toBe('two');
  });

  it('[X20] a link is not followed, a missing folder is created, and a file in its place is reported in one sentence', async () => {
    const folder = await tempFolder();
    await symlink(join(folder, 'elsewhere'), join(folder, 'link.md'));
    await expect(writeExport(join(folder, 'link.md'), 'x', { isForced: false })).rejects.toMatchObject({
      code: 'TARGET_EXISTS',
    });
    const written = join(folder, 'new', 'run.md');
    await writeExport(written, 'x', { isForced: false });
    expect(await readFile(written, 'utf8')).toBe('x');
    await expect(writeExport(join(written, 'run.md'), 'x', { isForced: false })).rejects.toMatchObject({
      code: 'DISK',
      message: `Could not write "${join(written, 'run.md')}": there is a file where a folder is needed.`,
    });
  });
});

describe('an export of a run that called workflows', () => {
  it('[Q44] tells what they did where they were called', async () => {
    const rig = await createRuntimeRig();
    const { engine, record } = await rig.create({ package: join(examples, 'supper-plan') });
    await engine.start();
    const { pending } = engine;
    const questions = pending?.kind === 'question' ? pending.questions : [];
    await engine.answer(Object.fromEntries(questions.map(({ id }) => [id, 'two friends'])));
    const { view, ...report } = await rig.showRun(record.workId);
    const source = { ...report, view: view.own, called: Object.fromEntries(view.runs) };
    const { store } = rig.runtime;
    const text = await exportRun(source, { store, format: 'md' });
    const [steps = [], evidence = []] = text
      .split('## Evidence')
      .map((part) => [...part.matchAll(/^### (.*) \(/gm)].map(([, title]) => title));
    expect(new Set(evidence)).toEqual(new Set(steps));
    expect(steps).toEqual([
      'Choose a dish',
      'Make the dish',
      'Make the dish › Write the recipe',
      'Make the dish › Have it tasted',
      'Make the dish › Have it tasted › Taste',
      'Make the dish › Have it tasted › Say it in a sentence',
      'Make the dish › Have it tasted',
      'Make the dish › Decide',
      'Make the dish › Serve',
      'Make the dish',
      'Write the shopping list',
    ]);
    const json = JSON.parse(await exportRun(source, { store, format: 'json' })) as { called: object };
    expect(Object.keys(json.called)).toHaveLength(2);
  });
});
