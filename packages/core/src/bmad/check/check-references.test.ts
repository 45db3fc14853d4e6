import { describe, expect, it } from 'vitest';
import { inspectFiles } from '../../testing/inspect.ts';
import {
  type Bend,
  type Files,
  first,
  samplePackage,
  step,
  workflow,
} from '../../testing/packages/sample-package.ts';

/** The findings as `CODE file:line` with the fix; every package in this file loads. */
async function check(files: Files, bend: Bend = () => undefined): Promise<string[]> {
  const inspection = await inspectFiles(samplePackage(bend, files));
  expect(inspection.package).toBeDefined();
  return inspection.diagnostics.map(
    ({ code, file, line, pointer, fix }) => `${code} ${file}:${line ?? pointer} ${fix}`,
  );
}

const body = (text: string, more = ''): Files => ({
  'steps/step-01.md': `${step('step-01', 'step', more)}${text}\n`,
});
const short = (found: readonly string[]): string[] =>
  found.map((line) => line.split(' ').slice(0, 2).join(' '));

const MISSING: [what: string, text: string][] = [
  ['a mount path', 'Read `@pkg/data/none.csv` first.'],
  ['a package-root path', 'Read {package-root}/none.md first.'],
  ['a path next to the step', 'Load ./none.md and follow it.'],
  ['a path in a folder of the package', 'Use assets/none.md.'],
  ['a link', 'See [the form](forms/none.md).'],
  ['a step by its name alone', 'Then load step-07-none.md.'],
  ['a path in Chinese prose', '然后加载./none.md，并执行。'],
  ['a mount path in code', '```json\n{ "path": "@pkg/none.json" }\n```'],
];
const ALLOWED: [what: string, text: string][] = [
  [
    'a file in the package',
    'Use `assets/form.md`, ../assets/form.md, [it](../assets/form.md) or @pkg/assets/form.md.',
  ],
  ['a file that is in assets, by its name there', 'Use ./form.md.'],
  ['files of the project', 'Read `@project/docs/a.md`, docs/a.md, package.json and {project-root}/a.md.'],
  ['patterns that match many files', 'Read assets/<key>.md, assets/*.md and assets/{storyKey}.md.'],
  ['an address', 'See https://example.com/assets/a.md and [it](https://example.com/b.md).'],
  ['a sample in code', '```markdown\n- assets/sample.md\n- [x](./y.md)\n```'],
];

describe('files that texts name', () => {
  const withAsset = { 'assets/form.md': '# Form\n', 'workflow.md': workflow('variables: {storyKey: ""}\n') };

  it.each(MISSING)('[B14] %s that is missing is a warning with its line', async (_, text) => {
    const found = await check({ ...withAsset, ...body(text) });
    const line = text.startsWith('```') ? 9 : 8;
    expect(short(found)).toEqual([`REFERENCE_MISSING steps/step-01.md:${line}`]);
  });

  it.each(ALLOWED)('[B14] %s is accepted', async (_, text) => {
    expect(await check({ ...withAsset, ...body(text) })).toEqual([]);
  });

  it('[B14] in workflow.md, other Markdown files, frontmatter and prompts too, with a suggestion', async () => {
    const found = await check(
      {
        ...withAsset,
        ...body('Follow {formFile}.', 'formFile: ../assets/from.md\n'),
        'workflow.md': `${workflow()}See [one](steps/step-1.md).\n`,
        'assets/guide.md': 'Fill in ./frm.md.\n',
      },
      ({ agents }) => {
        first(agents.agents).prompts = [{ id: 'p', content: 'Read @pkg/assets/form2.md.' }];
      },
    );
    expect(found).toEqual([
      'REFERENCE_MISSING workflow.md:9 Did you mean "steps/step-01.md"?',
      'REFERENCE_MISSING steps/step-01.md:5 Did you mean "assets/form.md"?',
      'REFERENCE_MISSING agents.json:29 Did you mean "assets/form.md"?',
      'REFERENCE_MISSING assets/guide.md:1 Did you mean "assets/form.md"?',
    ]);
  });
});

describe('steps that texts name', () => {
  const third: Bend = ({ graph }) => {
    graph.nodes.push({ id: 'step-02', type: 'step', file: 'steps/step-02.md' });
    graph.edges.push({ from: 'step-02', to: 'end-99', label: 'next' });
    graph.nodes.push({ id: 'between', type: 'step', file: 'steps/between.md' });
    graph.edges.push({ from: 'step-01', to: 'between', label: 'on' });
    graph.edges.push({ from: 'between', to: 'step-02', label: 'next' });
  };
  const files = { 'steps/step-02.md': step('step-02'), 'steps/between.md': step('between') };

  it.each(['load ./step-02.md', 'see [two](step-02.md)', '@pkg/steps/step-02.md', 'then step-02.md'])(
    '[B14] without an edge is a warning: %s',
    async (text) => {
      expect(short(await check({ ...files, ...body(text) }, third))).toEqual([
        'STEP_LINK_WITHOUT_EDGE steps/step-01.md:8',
      ]);
    },
  );

  it('[B14] an edge in either direction, also through a decision, is enough', async () => {
    const bend: Bend = (documents) => {
      third(documents);
      documents.graph.nodes.push({ id: 'decide', type: 'decision', file: 'steps/decide.md' });
      documents.graph.edges.push(
        { from: 'step-01', to: 'decide', label: 'decide' },
        { from: 'decide', to: 'step-02', label: 'two', isDefault: true },
        { from: 'decide', to: 'end-99', label: 'end' },
      );
    };
    const linked = {
      ...files,
      ...body('load ./step-02.md or ./end-99.md'),
      'steps/decide.md': step('decide', 'decision'),
    };
    expect(await check(linked, bend)).toEqual([]);
  });
});

describe('variables that texts name', () => {
  const known = { 'workflow.md': workflow('variables: {output_folder: artifacts}\n') };

  it.each<[string, string[]]>([
    ['Write {output_folder}/a.md for {user_name} on {{date}}.', []],
    ['Follow {nextStepFile}.', ['VARIABLE_UNKNOWN steps/step-01.md:9']],
    ['Write {planning_folder}/a.md.', ['VARIABLE_UNKNOWN steps/step-01.md:9']],
    ['Say "Found {count} files" and {{anything}}.', []],
    [
      'Write {outputFolder}/a.md and {{outpt_folder}}.',
      ['VARIABLE_UNKNOWN steps/step-01.md:9', 'VARIABLE_UNKNOWN steps/step-01.md:9'],
    ],
    ['{note} is a key of this step, {topic} is set by it.', []],
    ['```json\n{nextStepFile}\n```', []],
  ])('[B14] %s', async (text, expected) => {
    const found = await check({ ...known, ...body(text, 'note: mine\nsetsVariables: [topic]\n') });
    expect(short(found)).toEqual(expected.map((line) => line.replace(':9', ':10')));
  });

  it('[B14] in declared paths and templates, if a name is similar', async () => {
    const found = await check({
      ...known,
      ...body('', 'outputs: ["{output_foldr}/a.md"]\n'),
      'assets/form.md': '# {{output_foldr}} {{anything}} {else}\n',
    });
    expect(found).toEqual([
      'VARIABLE_UNKNOWN steps/step-01.md:5 Did you mean {output_folder}?',
      'VARIABLE_UNKNOWN assets/form.md:1 Did you mean {output_folder}?',
    ]);
  });
});

it.each<[string, string[]]>([
  ['Call `fs.read`, `fs_write` and `ui.ask_user`; see `ui.json`.', []],
  ['Call `fs.raed`.', ['Did you mean fs.read?']],
  ['Call `runtime.spawn`.', ['The tools are fs.read,']],
  ['Run `npm test` and then `git push`.', ['Say what to do']],
  ['```bash\nls\n```', ['Say what to do']],
  ['Use web search to verify. Search the web again.', ['Say what to do']],
  ['Spawn sub-agents.', ['Let the agent']],
  ['联网搜索最新资料。', ['Say what to do']],
  ['The shell of an egg and the web of a spider.', []],
])('[B14] an unavailable tool is a warning: %s', async (text, fixes) => {
  const found = await check(body(text));
  expect(found.map((line) => line.split(' ')[0])).toEqual(fixes.map(() => 'TOOL_UNAVAILABLE'));
  for (const [index, fix] of fixes.entries()) expect(found[index]).toContain(fix);
});

it('[B20] a hundred thousand names in texts', async () => {
  const names = Array.from({ length: 30_000 }, (_, i) => `./n${i}.md {v${i}File}`).join(' ');
  const found = await check({ ...body(names), 'assets/a.md': names, 'assets/b.md': '`npm '.repeat(50_000) });
  expect(found.at(-1)).toContain('TOO_MANY_WARNINGS');
});
