import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GraphEdge, GraphNode } from '@crewagent/protocol/workflow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../../store/open-memory-store.ts';
import { codesOf, inspectFiles, testContext } from '../../testing/inspect.ts';
import { tempFolder, writeTree } from '../../testing/temp-folder.ts';
import { createFindings } from '../findings/findings.ts';
import { importPackage } from '../import-package.ts';
import { inspectPackage } from '../load-package.ts';
import { createFromMethod } from '../new-package.ts';
import { expandMethod } from './expand-method.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../../examples', import.meta.url));

/** hello-branch in the one-file form. */
const HELLO = `---
name: hello
agents:
  - { id: analyst, name: Ana }
  - { id: pm, name: Pam }
  - { id: architect, name: Arch }
  - { id: summarizer, name: Sam }
---
## Intake {#step-01-intake}
Agent: Ana
Ask three questions.
Waits.
Produces: artifacts/hello-branch/intake.md

## Decide the project type {#decide-02-project-type}
Agent: pm
Reads: artifacts/hello-branch/intake.md

Choose:
- greenfield → Plan a fresh start (when projectType = greenfield)
- brownfield -> Assess what exists (otherwise)

## Plan a fresh start {#step-03a-greenfield}
Agent: architect
Reads: artifacts/hello-branch/intake.md
Produces: \`artifacts/hello-branch/greenfield-plan.md\`.
→ Summarise and close

## Assess what exists {#step-03b-brownfield}
Agent: architect
Reads: artifacts/hello-branch/intake.md
Produces: artifacts/hello-branch/brownfield-assessment.md

## Summarise and close {#end-99}
Agent: summarizer
Reads: artifacts/hello-branch/intake.md
Produces: artifacts/hello-branch/summary.md
`;

interface Graph {
  readonly entryNodeId: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

function expand(text: string) {
  const findings = createFindings();
  const expanded = expandMethod(text, 'method.md', findings);
  return { files: expanded?.files, findings: findings.list() };
}

function graphOf(text: string): Graph {
  const { files, findings } = expand(text);
  expect(findings).toEqual([]);
  return JSON.parse(files?.get('workflow.graph.json') ?? '') as Graph;
}

const withoutFiles = ({ entryNodeId, nodes, edges }: Graph) => ({
  entryNodeId,
  nodes: nodes.map(({ file: _, ...node }) => node),
  edges,
});

describe('a method', () => {
  it('has the graph of the same package in the full form', async () => {
    const full = await readFile(join(EXAMPLES, 'hello-branch/workflow.graph.json'), 'utf8');
    expect(withoutFiles(graphOf(HELLO))).toEqual(withoutFiles(JSON.parse(full) as Graph));
  });

  it('is the same package as the folder that it expands to', async () => {
    const root = await tempFolder();
    const files = {
      'method.md': HELLO.replace('name: hello', 'name: hello\ntitle: Hello there').replace(
        'Waits.',
        'Follow @pkg/assets/guide.md.\nWaits for a choice: A, C.',
      ),
      'assets/guide.md': '# Guide\n',
      'tests/one.yaml': 'model: lazy\n',
    };
    await writeTree(join(root, 'short'), files);
    const created = await createFromMethod(join(root, 'full'), join(root, 'short'), testContext);
    expect(created.name).toBe('hello');
    expect(created.files).toEqual(
      expect.arrayContaining(['assets/guide.md', '.crewagent-schemas/bmad.schema.json']),
    );
    const about: unknown = JSON.parse(await readFile(join(root, 'full/about.json'), 'utf8'));
    expect(about).toEqual({ $schema: './.crewagent-schemas/about.schema.json', title: 'Hello there' });
    const [short, full] = await Promise.all(
      ['short', 'full'].map((name) => inspectPackage(join(root, name), testContext)),
    );
    expect(short?.diagnostics).toEqual([]);
    expect(short).toEqual(full);
    const store = openMemoryStore(join(root, 'store'));
    const installed = await Promise.all(
      ['short', 'full'].map((name) => importPackage(join(root, name), store, testContext)),
    );
    expect(new Set(installed.map((found) => found.package.hash)).size).toBe(1);
    await expect(createFromMethod(join(root, 'more'), join(root, 'full'), testContext)).rejects.toMatchObject(
      {
        code: 'USAGE',
      },
    );
  });

  it('by its path is the file alone, by its folder with what is beside it, which may not stand for a part of it', async () => {
    const folder = await tempFolder();
    await writeTree(folder, { 'plan.md': HELLO, 'steps/other.md': 'x', 'notes.txt': 'x', '.env': 'KEY=1' });
    const alone = await inspectPackage(join(folder, 'plan.md'), testContext);
    expect(codesOf(alone)).toEqual([]);
    const beside = await inspectFiles({ 'method.md': HELLO, 'agents.json': '{}', '.env': 'KEY=1' });
    expect(codesOf(beside)).toEqual(['ENTRY_CLASH agents.json', 'SECRET_FILE .env']);
    await writeFile(join(folder, 'plan.md'), 'no frontmatter');
    expect(codesOf(await inspectPackage(join(folder, 'plan.md'), testContext))).toEqual([
      'BAD_FRONTMATTER plan.md 1',
    ]);
    expect(codesOf(await inspectPackage(join(folder, 'none.md'), testContext))[0]).toMatch(/^NOT_FOUND /);
  });

  it('in Chinese, with full-width punctuation', () => {
    const { nodes, edges } = graphOf(`---
name: 会议
title: 会议纪要
agent: { name: 小林 }
---
## 读笔记
角色：小林
等待选择：继续、修改。
读取：notes.md
- 可选：true
- 询问：笔记在哪里？
设置：主题、日期

## 判断
选择：
- 要改 → 读笔记（当 主题 不清楚）
- 完成 → 写纪要（否则）

## 写纪要
产出：\`artifacts/纪要.md\`。
- 标题：决定、任务
- 最少字数：80
- 不含：TODO、{{
`);
    expect(nodes.map(({ id, type, outputs }) => [id, type, outputs])).toEqual([
      ['step-01', 'step', undefined],
      ['step-02', 'decision', undefined],
      ['step-03', 'end', ['artifacts/纪要.md']],
    ]);
    expect(
      edges.map(({ to, label, conditionText, isDefault }) => [to, label, conditionText, isDefault]),
    ).toEqual([
      ['step-02', 'next', undefined, true],
      ['step-01', '要改', '主题 不清楚', undefined],
      ['step-03', '完成', undefined, true],
    ]);
  });

  it('keeps code and prose for the model, and takes out what the request states anyway', () => {
    const { files } = expand(`---
name: x
---
# A title
Introduction.

## One
Do it.
\`\`\`markdown
## Not a step
Waits.
\`\`\`
Waits for approval.
Verify: \`npm test\`

Choose:
- Again → One (if it failed,
  and only then)
- Two
## Two
End.
`);
    expect([...(files?.keys() ?? [])]).toEqual([
      'bmad.json',
      'about.json',
      'agents.json',
      'workflow.graph.json',
      'workflow.md',
      'steps/01-one.md',
      'steps/02-two.md',
    ]);
    const [head, body] = files?.get('steps/01-one.md')?.split(/\n---\n/) ?? [];
    expect(head).toContain('waits:\n  for: approval\n');
    expect(head).toContain('verify:\n  - run: npm test\n');
    expect(body).toBe(
      '\n# One\n\nDo it.\n```markdown\n## Not a step\nWaits.\n```\n\nChoose:\n- Again → One (if it failed,\n  and only then)\n- Two\n',
    );
    expect(files?.get('workflow.md')).toContain('# A title\n\nIntroduction.\n');
    expect(files?.get('workflow.graph.json')).toContain('"it failed, and only then"');
  });
});

describe('findings of a method', () => {
  const HEAD = '---\nname: x\n---\n';
  it.each([
    ['no frontmatter', '## A\n', 'BAD_FRONTMATTER method.md 1'],
    ['no step', `${HEAD}# Title\n`, 'SCHEMA method.md'],
    ['an unknown key', '---\nname: x\nversionn: 1.0.0\n---\n## A\n', 'SCHEMA method.md 3'],
    ['a version that is none', '---\nname: x\nversion: one\n---\n## A\n', 'SCHEMA method.md 3'],
    ['an arrow to nowhere', `${HEAD}## A\n\n→ C\n## B\n`, 'UNKNOWN_NODE method.md 6'],
    ['an arrow to one of two', `${HEAD}## A\n→ B\n## B\n## B\n`, 'UNKNOWN_NODE method.md 5'],
    ['an unknown agent', `${HEAD}## A\nAgent: Bo\n`, 'UNKNOWN_AGENT method.md 5'],
    ['the same id twice', `${HEAD}## A {#a}\n## B {#a}\n`, 'DUPLICATE_ID method.md 5'],
    ['an id that is none', `${HEAD}## A {#A b}\n`, 'SCHEMA method.md 4'],
    ['an end that goes on', `${HEAD}## A\nEnd.\n→ B\n## B\n`, 'SCHEMA method.md 5'],
    ['a check that is none', `${HEAD}## A\nProduces: a.md\n- good\n`, 'PROOF_INVALID method.md 6'],
    ['a check of the wrong kind', `${HEAD}## A\nProduces: a.md\n- minWords: many\n`, 'SCHEMA method.md 6'],
    [
      'a template that is missing',
      `${HEAD}## A\nProduces: a.md\n- headings: from assets/t.md\n`,
      'PROOF_FILE_UNREADABLE method.md 6',
    ],
    [
      'a text that names a missing file',
      `${HEAD}## A\n\nRead @pkg/assets/t.md.\n`,
      'REFERENCE_MISSING method.md 6',
    ],
    ['no way out of a loop', `${HEAD}## A\n## B\n→ A\n`, 'NO_END_REACHABLE method.md'],
    [
      'a choice without a default',
      `${HEAD}## A\nChoose:\n- B\n- C\n## B\n## C\n`,
      'DECISION_WITHOUT_DEFAULT method.md 4',
    ],
    [
      'a typed input that is none',
      '---\nname: x\ninputs:\n  - { name: a }\n---\n## A\n',
      'TYPED_INPUT_INVALID method.md 4',
    ],
    [
      'a typed input with a key that is none',
      '---\nname: x\ninputs:\n  - { name: a, promt: Which? }\n---\n## A\n',
      'TYPED_INPUT_INVALID method.md 4',
    ],
    ['a line that only resembles one', `${HEAD}## A\n\nWait.\n`, 'KEY_MISSPELT method.md 6'],
    [
      'one at the end of a paragraph',
      `${HEAD}## A\n\nAsk for the kind. Waits.\n`,
      'KEY_MISSPELT method.md 6',
    ],
    [
      'one at the end of a paragraph in Chinese',
      `${HEAD}## A\n\n请提问。等待。\n`,
      'KEY_MISSPELT method.md 6',
    ],
    ['a path without a colon', `${HEAD}## A\nProduces artifacts/a.md\n`, 'KEY_MISSPELT method.md 5'],
    ['a key that is misspelt', `${HEAD}## A\nProduce: artifacts/a.md\n`, 'KEY_MISSPELT method.md 5'],
    ['a heading without a space', `${HEAD}## A\n##B\n`, 'KEY_MISSPELT method.md 5'],
    [
      'a condition on a variable that nothing sets',
      `${HEAD}## A\nSets: kind\n→ A (when kund = x)\n→ B (otherwise)\n## B\n`,
      'VARIABLE_UNKNOWN method.md 6',
    ],
    ['too large', `${HEAD}## A\n${'x'.repeat(262_144)}`, 'FILE_TOO_LARGE method.md'],
  ])('%s', async (_, text, expected) => {
    const found = codesOf(await inspectFiles({ 'method.md': text }));
    expect(found.some((line) => line.startsWith(expected))).toBe(true);
    expect(found.every((line) => line.includes(' method.md'))).toBe(true);
  });
});

describe('a method', () => {
  it('reads full-width digits, and prose that names its keywords', async () => {
    const text =
      '---\nname: x\n---\n## A\n\nWait until they answer. The end is near.\n\n产出：artifacts/a.md\n- 最少字数：４０\n';
    const { files } = expand(text);
    expect(files?.get('steps/01-a.md')).toContain('minWords: 40\n');
    expect(codesOf(await inspectFiles({ 'method.md': text }))).toEqual([]);
  });

  it('by its path alone says where the files beside it are looked for', async () => {
    const { diagnostics } = await inspectFiles({
      'method.md': '---\nname: x\n---\n## A\n\nRead @pkg/assets/t.md.\n',
    });
    expect(diagnostics[0]?.fix).toMatch(/name their folder/);
  });

  it.each([
    [
      'a choice without a default',
      '## A\n\nChoose:\n- b → B\n- c → C\n\n## B\n\n→ C\n\n## C\n',
      /\(otherwise\)/,
    ],
    ['a loop without an exit', '## A\n\n→ B\n\n## B\n\n→ A\n', /"End\."/],
  ])('says what to do in its own words: %s', async (_, steps, fix) => {
    const { diagnostics } = await inspectFiles({ 'method.md': `---\nname: x\n---\n${steps}` });
    expect(diagnostics[0]?.fix).toMatch(fix);
    for (const found of diagnostics) expect(found.fix).not.toMatch(/edge|node|isDefault/);
  });
});

describe('any text', () => {
  it('of a graph expands to that graph', () => {
    const title = fc.integer({ min: 0, max: 11 });
    fc.assert(
      fc.property(fc.array(fc.array(title, { maxLength: 3 }), { minLength: 1, maxLength: 12 }), (wanted) => {
        const count = wanted.length;
        const targets = wanted.map((list) => [...new Set(list.map((one) => one % count))]);
        const text = targets
          .map(
            (list, index) =>
              `## Step ${index}\nText.\n${list.map((to) => `→ Step ${to} (when case ${to})`).join('\n')}\n`,
          )
          .join('\n');
        const { nodes, edges } = graphOf(`---\nname: x\n---\n${text}`);
        expect(nodes.map((node) => node.title)).toEqual(targets.map((_, index) => `Step ${index}`));
        const expected = targets.flatMap((list, index) =>
          (list.length > 0 ? list : index + 1 < count ? [index + 1] : []).map((to) => [
            `step-${index}`,
            `step-${to}`,
          ]),
        );
        expect(edges.map(({ from, to }) => [from, to])).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('that is hostile gives findings with lines of the file, never an exception or an unsafe name', () => {
    const line = fc.oneof(
      fc.constantFrom(
        ...[
          '## A',
          '## 选择',
          '## __proto__',
          '## con {#con}',
          '## ../x {#../x}',
          '```',
          '~~~',
          'Choose:',
          '选择：',
        ],
        ...[
          '→ A',
          '-> __proto__ (when',
          '- A → A (otherwise)',
          'Produces: ../../x',
          '- __proto__: 1',
          '- path: x',
        ],
        ...[
          '- headings: {a: &a [*a]}',
          '- contains: [[[[',
          'Waits for a choice: ,,',
          'Sets: ,',
          'Agent: __proto__',
        ],
        ...['---', 'End.', 'Verify: rm -rf /', '\u0000', '\r'],
      ),
      fc.string({ unit: 'binary', maxLength: 30 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.boolean(), (lines, hasHead) => {
        const text = `${hasHead ? '---\nname: x\n---\n' : ''}${lines.join('\n')}`;
        const { files, findings } = expand(text);
        const count = text.split('\n').length;
        for (const found of findings) {
          expect(found.file).toBe('method.md');
          expect(found.line ?? 1).toBeLessThanOrEqual(count);
        }
        if (findings.some(({ severity }) => severity === 'error')) return;
        for (const path of files?.keys() ?? [])
          expect(path).toMatch(/^[a-z.]+$|^steps\/\d\d\d?-[a-z0-9-]+\.md$/);
      }),
      { numRuns: 300 },
    );
  });
});
