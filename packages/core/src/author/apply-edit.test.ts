/** Edits of package texts: what stays, what changes together, and random edits that never lose text. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AuthorEdit } from '@crewagent/protocol/author';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { convertSource } from '../import/convert-source.ts';
import { importSource } from '../import/import-source.ts';
import { readSource } from '../import/source/read-source.ts';
import { CLASSIC, MUSEUM_MODULE, SKILLS, V6_MODULE } from '../testing/import-sources.ts';
import { codesOf, inspectFiles, testContext } from '../testing/inspect.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { step } from '../testing/packages/sample-package.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';
import { frontmatterLength } from '../workflow/update-frontmatter.ts';
import { applyEdit } from './apply-edit.ts';
import { createPackageTexts } from './package-texts.ts';
import { parseJson, patchJson } from './patch-json.ts';
import { toModel } from './to-model.ts';

type Files = Readonly<Record<string, string>>;

const GRAPH = 'workflow.graph.json';
const EXAMPLES = join(import.meta.dirname, '../../../../examples');

async function edit(files: Files, ...edits: AuthorEdit[]): Promise<Record<string, string>> {
  let current = { ...files };
  for (const one of edits) {
    const changes = await applyEdit(new Map(Object.entries(current)), new Set(Object.keys(current)), one);
    const kept = Object.entries(current).filter(([path]) => !changes.has(path));
    const written = [...changes].flatMap(([path, text]) => (text === undefined ? [] : [[path, text]]));
    current = Object.fromEntries([...kept, ...written]) as Record<string, string>;
  }
  return current;
}

function modelOf(files: Files) {
  return toModel(createPackageTexts(new Map(Object.entries(files)), new Set(Object.keys(files))));
}

/** Paths whose texts differ. */
function changed(before: Files, after: Files): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]).sort();
}

/** Real modules and skills, if available: they are not in this repository (see `import/real-content.test.ts`). */
const CONTENT = process.env.CREWAGENT_IMPORT_CONTENT ?? '';

/** All packages that come with the program, and conversions of sources of other tools. */
async function readPackages(): Promise<[string, Files][]> {
  const packages: [string, Files][] = [];
  for (const name of readdirSync(EXAMPLES)) {
    const files = name.endsWith('.md') ? {} : await readTree(join(EXAMPLES, name));
    if (files['bmad.json'] !== undefined) packages.push([name, files]);
  }
  for (const [name, source] of Object.entries({ V6_MODULE, CLASSIC, SKILLS, MUSEUM_MODULE })) {
    const [from, out] = [join(await tempFolder(), name), join(await tempFolder(), 'package')];
    await writeTree(from, source);
    await importSource({ source: from, name, out, context: testContext, rehearse: false });
    const files = await readTree(out);
    packages.push([
      name,
      Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith('import-report'))),
    ]);
  }
  const real = CONTENT === '' ? [] : readdirSync(CONTENT, { withFileTypes: true });
  for (const { name } of real.filter((entry) => entry.isDirectory())) {
    const { files } = convertSource(await readSource(join(CONTENT, name)));
    packages.push([name, Object.fromEntries([...files].map(([path, bytes]) => [path, String(bytes)]))]);
  }
  return packages;
}

describe('every example and every converted package', () => {
  it('keeps each byte of its files where an edit changes nothing, and after an edit and its inverse', async () => {
    const packages = await readPackages();
    expect(packages.length).toBeGreaterThan(8);
    for (const [name, files] of packages) {
      for (const [path, text] of Object.entries(files).filter(([one]) => one.endsWith('.json')))
        expect(patchJson(text, parseJson(text)?.value), `${name}/${path}`).toBe(text);
      const { workflows, agents } = await modelOf(files);
      expect(workflows.length, name).toBeGreaterThan(0);
      for (const { graph, nodes, edges, entryNodeId } of workflows.slice(0, 3)) {
        const [node] = nodes;
        if (!node) continue;
        const at = { graph, nodeId: node.id };
        const same: AuthorEdit[] = [
          {
            kind: 'setNode',
            ...at,
            fields: { type: node.type, ...(node.title === undefined ? {} : { title: node.title }) },
          },
          { kind: 'setEntry', graph, nodeId: entryNodeId },
          {
            kind: 'setStep',
            ...at,
            keys: Object.fromEntries(
              Object.entries(node.step ?? {}).filter(([key]) => key === 'outputs' || key === 'produces'),
            ),
          },
          ...edges
            .slice(0, 1)
            .map(({ label }): AuthorEdit => ({ kind: 'setEdge', graph, edge: 0, fields: { label } })),
          ...agents.slice(0, 1).map(({ id }): AuthorEdit => ({ kind: 'setAgent', agentId: id, fields: {} })),
        ];
        expect(changed(files, await edit(files, ...same)), name).toEqual([]);
        const there: AuthorEdit[] = [
          {
            kind: 'addNode',
            graph,
            id: 'new-node',
            type: 'step',
            title: 'New',
            after: { nodeId: node.id, label: 'aside' },
          },
          { kind: 'renameNode', graph, nodeId: node.id, to: 'renamed' },
          { kind: 'duplicateNode', graph, nodeId: 'renamed', id: 'copy' },
        ];
        const back: AuthorEdit[] = [
          { kind: 'deleteNode', graph, nodeId: 'copy', removesFile: true },
          { kind: 'renameNode', graph, nodeId: 'renamed', to: node.id },
          { kind: 'deleteNode', graph, nodeId: 'new-node', removesFile: true },
        ];
        const edited = await edit(files, ...there);
        expect(changed(files, edited), name).toContain(graph);
        expect(changed(files, await edit(edited, ...back)), `${name} ${graph}`).toEqual([]);
      }
    }
  });
});

const OPTIONS = { numRuns: 60 };

const commented = `---\r\n# head\r\nschemaVersion: "1.1"\r\nnodeId: step-01 # id\r\ntype: step\r\nmine: {a: 1}\r\ntransitions:\r\n  - to: decide-02 # why\r\n    label: next\r\n---\r\n\r\n# Body of step-01\r\n\r\n  text\t\r\n`;

function sample(): Files {
  const files = branchingPackage({ 'steps/step-01.md': commented });
  const graph = JSON.parse(files[GRAPH] ?? '') as { nodes: Record<string, unknown>[] };
  return { ...files, [GRAPH]: JSON.stringify({ ...graph, custom: { kept: true } }, null, 2) };
}

describe('an edit', () => {
  it('changes the graph, the steps and the position together, and keeps comments, line endings and unknown keys', async () => {
    const before = sample();
    const after = await edit(before, {
      kind: 'renameNode',
      graph: GRAPH,
      nodeId: 'decide-02',
      to: 'choice',
      inTexts: true,
    });
    expect(changed(before, after)).toEqual(['steps/decide-02.md', 'steps/step-01.md', GRAPH].sort());
    expect(after['steps/step-01.md']?.split('\r\n')).toEqual(
      expect.arrayContaining([
        '# head',
        'nodeId: step-01 # id',
        '# why',
        '  - to: choice',
        'mine: {a: 1}',
        '  text\t',
      ]),
    );
    expect(after['steps/decide-02.md']).toContain('# choice');
    expect(after[GRAPH]).toContain('"kept": true');
    expect(
      codesOf(
        await inspectFiles({
          ...after,
          [GRAPH]: (after[GRAPH] ?? '').replace(/,\s*"custom": \{[^}]*\}/, ''),
        }),
      ),
    ).toEqual(
      codesOf(
        await inspectFiles({
          ...before,
          [GRAPH]: (before[GRAPH] ?? '').replace(/,\s*"custom": \{[^}]*\}/, ''),
        }),
      ),
    );
  });

  it('writes new members like their neighbours', () => {
    const cases: [string, (value: never) => unknown, string][] = [
      ['{"a":[1,2]}', () => ({ a: [1, 2, 3], b: {} }), '{"a":[1,2,3],"b": {}}'],
      [
        '{\n\t"a": 1\n}\n',
        () => ({ a: 1, b: [{ c: 2 }] }),
        '{\n\t"a": 1,\n\t"b": [\n\t\t{\n\t\t\t"c": 2\n\t\t}\n\t]\n}\n',
      ],
      [
        '\uFEFF[\r\n  { "id": "a" },\r\n  { "id": "b" }\r\n]',
        () => [{ id: 'b' }, { id: 'c', x: 1 }],
        '\uFEFF[\r\n  { "id": "b" },\r\n  { "id": "c", "x": 1 }\r\n]',
      ],
      ['{ "a" : [ ] , "b":2 }', () => ({ b: 2 }), '{ "b":2 }'],
      [
        '{\n  "edges": []\n}',
        () => ({ edges: [{ from: 'a' }] }),
        '{\n  "edges": [\n    {\n      "from": "a"\n    }\n  ]\n}',
      ],
    ];
    for (const [text, after, expected] of cases)
      expect(patchJson(text, after(undefined as never))).toBe(expected);
    for (const bad of ['{', '{"a":1,"a":2}', '[1,]', '['.repeat(70)])
      expect(parseJson(bad), bad).toBeUndefined();
  });

  it('gives any new value of any JSON text', () => {
    const layout = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.replaceAll('\n', '\r\n'),
      (text) => `\uFEFF\n${text}\n`,
    );
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.jsonValue(),
        fc.constantFrom(0, 2, '\t'),
        layout,
        (before, after, unit, wrap) => {
          const text = wrap(JSON.stringify(before, undefined, unit));
          if (parseJson(text) === undefined) return;
          expect(patchJson(text, before)).toBe(text);
          const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
          expect(parseJson(patchJson(text, after))?.value).toEqual(plain(after));
          const both = { one: before, list: [before, after] };
          const nested = JSON.stringify(both, undefined, unit);
          if (parseJson(nested) === undefined) return;
          expect(parseJson(patchJson(nested, { list: [after], one: after }))?.value).toEqual(
            plain({ one: after, list: [after] }),
          );
        },
      ),
      { examples: [[[], [-0], 0, (text) => text]] },
    );
  });

  it.each<[string, AuthorEdit, string]>([
    ['an id that is taken', { kind: 'addNode', graph: GRAPH, id: 'step-01', type: 'step' }, 'already a node'],
    ['a node that is gone', { kind: 'setEntry', graph: GRAPH, nodeId: 'gone' }, 'no node "gone"'],
    ['an edge that is gone', { kind: 'disconnect', graph: GRAPH, edge: 99 }, 'no such edge'],
    ['a file that is no text', { kind: 'setText', file: 'assets/x.png', text: '' }, 'not a text file'],
    ['a file outside', { kind: 'setText', file: '../x.md', text: '' }, 'not a text file'],
    [
      'a key that follows the node',
      { kind: 'setStep', graph: GRAPH, nodeId: 'step-01', keys: { nodeId: 'x' } },
      'follows its node',
    ],
    [
      'an edge that exists',
      { kind: 'connect', graph: GRAPH, from: 'step-01', to: 'decide-02', label: 'next' },
      'already an edge',
    ],
    ['an agent that is taken', { kind: 'renameAgent', agentId: 'ann', to: 'bob' }, 'already an agent'],
  ])('is refused for %s', async (_, refusedEdit, message) => {
    await expect(edit(sample(), refusedEdit)).rejects.toThrow(message);
  });

  it('deletes a node with its edges and mentions, and moves the entry on', async () => {
    const before = sample();
    const after = await edit(before, {
      kind: 'deleteNode',
      graph: GRAPH,
      nodeId: 'step-01',
      removesFile: true,
    });
    const { workflows } = await modelOf(after);
    expect(workflows[0]?.entryNodeId).toBe('decide-02');
    expect(workflows[0]?.edges.some(({ from, to }) => from === 'step-01' || to === 'step-01')).toBe(false);
    expect(after['steps/step-01.md']).toBeUndefined();
  });

  it('sets and removes keys of a step where they are written', async () => {
    const before = sample();
    const at = { graph: GRAPH, nodeId: 'step-01' };
    const after = await edit(
      before,
      {
        kind: 'setStep',
        ...at,
        keys: {
          waits: { for: 'choice', options: ['A'] },
          produces: [{ path: 'artifacts/x.md', minWords: 3 }],
        },
      },
      { kind: 'setStep', ...at, keys: { waits: true, mine: null } },
      { kind: 'setNode', ...at, fields: { outputs: ['artifacts/x.md'], agentId: null } },
    );
    expect(after['steps/step-01.md']).toBe(
      commented
        .replace('mine: {a: 1}\r\n', '')
        .replace(
          'next\r\n---',
          'next\r\nwaits: true\r\nproduces:\r\n  - path: artifacts/x.md\r\n    minWords: 3\r\n---',
        ),
    );
    const node = (await modelOf(after)).workflows[0]?.nodes.find(({ id }) => id === 'step-01');
    expect(node).toMatchObject({ outputs: ['artifacts/x.md'], agentId: undefined });
  });
});

/** Edits that name what the package has, and a few that name nothing. */
async function toEdit(
  files: Files,
  [kind, a, b, text]: [number, number, number, string],
): Promise<AuthorEdit> {
  const { workflows, agents } = await modelOf(files);
  const workflow = workflows[a % Math.max(workflows.length, 1)];
  const { graph = GRAPH, nodes = [], edges = [] } = workflow ?? {};
  const idAt = (index: number) => nodes[index % (nodes.length + 1)]?.id ?? 'gone';
  const [nodeId, other, agentId] = [idAt(a), idAt(b), agents[b % (agents.length + 1)]?.id ?? 'gone'];
  const edge = a % (edges.length + 1);
  const id = `n${b}`;
  const edits: AuthorEdit[] = [
    { kind: 'addNode', graph, id, type: 'step', title: text, after: { nodeId, label: 'next' } },
    { kind: 'renameNode', graph, nodeId, to: id },
    {
      kind: 'setNode',
      graph,
      nodeId,
      fields: { title: text, agentId, inputs: [text], outputs: null, type: 'decision' },
    },
    { kind: 'setStep', graph, nodeId, keys: { waits: b % 2 === 0, setsVariables: [text], produces: null } },
    { kind: 'deleteNode', graph, nodeId, removesFile: false },
    { kind: 'duplicateNode', graph, nodeId, id, title: text },
    { kind: 'connect', graph, from: nodeId, to: other, label: text || 'x' },
    {
      kind: 'setEdge',
      graph,
      edge,
      fields: {
        label: text || 'y',
        to: other,
        isDefault: true,
        conditionExpr: { '==': [{ var: 'a' }, text] },
      },
    },
    { kind: 'disconnect', graph, edge },
    { kind: 'setEntry', graph, nodeId },
    { kind: 'addAgent', id, name: text || 'A', title: 'T', icon: '*' },
    {
      kind: 'setAgent',
      agentId,
      fields: { metadata: { description: text }, menu: [{ trigger: 'x', description: text || 'd' }] },
    },
    { kind: 'renameAgent', agentId, to: id },
    { kind: 'deleteAgent', agentId },
  ];
  return edits[kind % edits.length] ?? { kind: 'setEntry', graph, nodeId };
}

function bodyOf(text: string): string {
  return text.slice(frontmatterLength(text));
}

describe('random edits', () => {
  it('leave a package that is valid or has findings, and lose no text', async () => {
    const start = sample();
    const choice = fc.tuple(
      fc.nat(13),
      fc.nat(30),
      fc.nat(30),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(choice, { minLength: 1, maxLength: 12 }), async (choices) => {
        let files: Files = start;
        for (const picked of choices) {
          const before = files;
          try {
            files = await edit(before, await toEdit(before, picked));
          } catch (error) {
            if (!(error instanceof CrewError)) throw error;
          }
          for (const [path, text] of Object.entries(before)) {
            const now = files[path];
            expect(now, path).toBeDefined();
            if (path.endsWith('.md')) expect(bodyOf(now ?? '')).toBe(bodyOf(text));
            else expect(parseJson(now ?? ''), path).toBeDefined();
          }
        }
        expect(files[GRAPH]).toContain('"kept": true');
        expect(files['steps/step-01.md']).toMatch(/# head\r\n[\s\S]*# id\r\n/);
        const inspection = await inspectFiles(files);
        expect(
          inspection.package !== undefined ||
            inspection.diagnostics.some(({ severity }) => severity === 'error'),
        ).toBe(true);
      }),
      OPTIONS,
    );
  });

  it('of a step text keep the body of a file without frontmatter', async () => {
    const files = {
      ...sample(),
      'steps/step-03.md': 'no frontmatter',
      'steps/end-99.md': step('end-99', 'end').replace('type: end', 'type: ['),
    };
    const after = await edit(files, { kind: 'renameNode', graph: GRAPH, nodeId: 'step-03', to: 'x' });
    expect(after['steps/step-03.md']).toBe('no frontmatter');
    expect(after['steps/end-99.md']).toBe(files['steps/end-99.md']);
  });
});
