import { join } from 'node:path';
import { VERSION } from '@crewagent/protocol/version';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../../testing/file-tree.ts';
import { samplePackage, step, workflow } from '../../testing/packages/sample-package.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { inspectPackage } from '../load-package.ts';

async function inspect(keys: string, files: Record<string, string> = {}) {
  const folder = join(await tempFolder(), 'package');
  await writeTree(
    folder,
    samplePackage(undefined, { 'steps/step-01.md': step('step-01', 'step', keys), ...files }),
  );
  const found = await inspectPackage(folder, { runtimeVersion: VERSION, knownServers: new Set<string>() });
  return { ...found, proof: found.package?.workflows[0]?.nodes.get('step-01')?.proof };
}

const TEMPLATE = { 'assets/prd.md': '# {{title}}\n\n## Goals\n\n## Scope\n' };

describe('the proof keys of a step', () => {
  it('[S40] are read with their defaults, templates and schemas', async () => {
    const keys = `waits: {for: choice, options: [A, C]}
produces:
  - path: artifacts/prd.md
    headings: {from: assets/prd.md, only: [Goals]}
    minWords: 20
  - {path: "artifacts/{key}/*.json", count: 1..5, change: exists, schema: assets/s.json}
consumes: [docs/epics.md, {path: docs/prd.md, optional: true, read: required, ask: Which one?}]
verify: [{run: npm test}]
rights: declared
`;
    const { diagnostics, proof } = await inspect(keys, {
      ...TEMPLATE,
      'assets/s.json': '{"type": "object"}',
    });
    expect(diagnostics).toEqual([]);
    expect(proof).toEqual({
      waits: { for: 'choice', options: ['A', 'C'] },
      produces: [
        {
          path: 'artifacts/prd.md',
          count: { min: 1, max: 1 },
          mustChange: true,
          headings: ['Goals'],
          minWords: 20,
        },
        {
          path: 'artifacts/{key}/*.json',
          count: { min: 1, max: 5 },
          mustChange: false,
          schema: { path: 'assets/s.json', value: { type: 'object' } },
        },
      ],
      consumes: [
        { path: 'docs/epics.md', isOptional: false, mustRead: false },
        { path: 'docs/prd.md', isOptional: true, mustRead: true, ask: 'Which one?' },
      ],
      verify: [{ run: 'npm test', expect: 0, timeoutSeconds: 120 }],
    });
  });

  it.each([
    ['produces: [{path: a.md, heading: [A]}]', 'SCHEMA', '/produces/0', 'unknown key "heading"'],
    ['waits: {for: choice, option: [A]}', 'SCHEMA', '/waits', 'unknown key "option"'],
    ['waits: {for: coffee}', 'SCHEMA', '/waits/for', 'expected one of message, choice, approval'],
    ['consumes: [{path: a.md, read: yes}]', 'SCHEMA', '/consumes/0/read', 'expected one of required'],
    ['produces: [{path: "a[.md"}]', 'PROOF_INVALID', '/produces/0/path', 'not a valid glob'],
    ['produces: [{path: a.md, count: 5..1}]', 'PROOF_INVALID', '/produces/0/count', 'is empty'],
    [
      'produces: [{path: a.md, headings: {from: assets/no.md}}]',
      'PROOF_FILE_UNREADABLE',
      '/produces/0/headings/from',
      'is not in the package',
    ],
    [
      'produces: [{path: a.md, headings: {from: assets/prd.md, only: [Risks]}}]',
      'PROOF_INVALID',
      '/produces/0/headings',
      'has no heading "Risks"',
    ],
    [
      'produces: [{path: a.md, schema: assets/prd.md}]',
      'PROOF_FILE_UNREADABLE',
      '/produces/0/schema',
      'is not a JSON Schema',
    ],
    ['consumes: [null]', 'SCHEMA', '/consumes/0', ''],
  ])('[S40] are refused where they would prove nothing: %s', async (keys, code, pointer, message) => {
    const { diagnostics, package: loaded } = await inspect(`${keys}\n`, TEMPLATE);
    expect(loaded).toBeUndefined();
    expect(diagnostics).toMatchObject([
      { code, pointer, message: expect.stringContaining(message) as string },
    ]);
  });

  it('[S40] are refused in workflow.md, too', async () => {
    const { diagnostics } = await inspect('', {
      'workflow.md': workflow('writes: ["artifacts/**", "a[b", "../**"]\n'),
    });
    expect(diagnostics).toMatchObject([
      { code: 'PROOF_INVALID', pointer: '/writes/1' },
      { code: 'OUTPUT_OUTSIDE_PROJECT', pointer: '/writes/2' },
    ]);
  });
});

describe('advice', () => {
  const text = (body: string): Record<string, string> => ({
    'steps/step-01.md': `${step('step-01')}\n${body}\n`,
  });

  it('[B14] is given for a step with a menu or a file that declares nothing, and is no warning', async () => {
    const menu = await inspect('', text('Show: [A] Ask more [C] Continue'));
    expect(menu.diagnostics).toEqual([]);
    expect(menu.advice).toMatchObject([
      {
        severity: 'advice',
        code: 'NOTHING_TO_PROVE',
        fix: expect.stringContaining('options: [A, C]') as string,
      },
    ]);
    const file = await inspect('', text('Write the summary to `@project/artifacts/sum.md`.'));
    expect(file.advice).toMatchObject([{ line: expect.any(Number) as number, file: 'steps/step-01.md' }]);
  });

  it('[B14] is not given for a step that declares what it does', async () => {
    const body = 'Show: [A] Ask more [C] Continue. Write `artifacts/a.md`.';
    const waits = { 'steps/step-01.md': `${step('step-01', 'step', 'waits: true\n')}\n${body}\n` };
    expect((await inspect('', waits)).advice).toEqual([]);
    expect((await inspect('', text('Read `docs/a.md` and think.'))).advice).toEqual([]);
  });
});
