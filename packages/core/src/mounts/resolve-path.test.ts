import { describe, expect, it } from 'vitest';
import { writeTree } from '../testing/file-tree.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { formatMountPath } from './mount-path.ts';
import { createMountedFs } from './mounted-fs.ts';
import { fillVariables, unfilledNames } from './path-template.ts';
import {
  findFirst,
  findReadable,
  type PathScope,
  packageFolders,
  resolvePath,
  resolveReadable,
} from './resolve-path.ts';

const STEP = 'flows/prd/steps/step-02.md';
const scope: PathScope = {
  artifactsDir: 'out',
  variables: {
    plans: '{project-root}/out/plans',
    date: '2026-01-31',
    n: 3,
    none: '',
    loop: '{loop}/x',
    up: '../..',
  },
  folders: packageFolders(STEP, 'flows/prd'),
};

function candidatesOf(text: string, given = scope): string[] {
  return resolveReadable(text, given).paths.map(formatMountPath);
}

describe('variables in paths', () => {
  it.each([
    ['{plans}/prd.md', '@project/out/plans/prd.md'],
    ['{plans}/report-{{date}}-{n}.md', '@project/out/plans/report-2026-01-31-3.md'],
    ['docs/{{ date }}.md', '@project/docs/2026-01-31.md'],
    ['docs/{none}/{unknown}.md', '@project/docs/{none}/{unknown}.md'],
    ['{artifacts-root}/{n}.md', '@project/out/3.md'],
    ['{up}/x.md', 'refused'],
  ])('[M15] %s → %s', (text, expected) => {
    const resolved = resolvePath(text, scope);
    expect(resolved.ok ? formatMountPath(resolved.path) : 'refused').toBe(expected);
  });

  it('[M15] stops at a variable that contains itself', () => {
    expect(fillVariables('{loop}', scope.variables ?? {})).toMatch(/^\{loop\}(?:\/x)+$/);
    expect(fillVariables('{a}'.repeat(2_000), { a: '{a}{a}{a}' }).length).toBeLessThan(20_000);
  });

  it('[M15] reports names without a value, except roots', () => {
    expect(unfilledNames('{project-root}/{a}/{{b_c}}/{a}/{1}/{x.y}')).toEqual(['a', 'b_c']);
  });
});

describe('candidates for a path to read', () => {
  it.each<[text: string, expected: string[]]>([
    [
      './step-03.md',
      [
        '@pkg/flows/prd/steps/step-03.md',
        '@pkg/flows/prd/step-03.md',
        '@pkg/step-03.md',
        '@pkg/assets/step-03.md',
        '@project/step-03.md',
      ],
    ],
    [
      '../templates/t.md',
      [
        '@pkg/flows/prd/templates/t.md',
        '@pkg/flows/templates/t.md',
        '@pkg/templates/t.md',
        '@pkg/assets/templates/t.md',
      ],
    ],
    ['../../../../x.md', ['@pkg/x.md', '@pkg/assets/x.md']],
    ['@pkg/a.md', ['@pkg/a.md']],
    ['{project-root}/docs/a.md', ['@project/docs/a.md']],
    ['workflow.md', ['@state/workflow.md']],
    ['out/prd.md', ['@project/out/prd.md']],
    ['{plans}/prd.md', ['@project/out/plans/prd.md']],
    ['/etc/passwd', []],
    ['C:/x', []],
    ['a\\b', []],
  ])('[M16] %s', (text, expected) => {
    expect(candidatesOf(text)).toEqual(expected);
  });

  it.each<[text: string, expected: string[]]>([
    [
      '{project-root}/_bmad/core/tasks/review.md',
      [
        '@project/_bmad/core/tasks/review.md',
        '@pkg/_bmad/core/tasks/review.md',
        '@pkg/core/tasks/review.md',
        '@pkg/tasks/review.md',
      ],
    ],
    [
      '@project/_bmad/bmm/config.yaml',
      ['@project/_bmad/bmm/config.yaml', '@pkg/_bmad/bmm/config.yaml', '@pkg/bmm/config.yaml'],
    ],
    ['@project/_bmad/x.md', ['@project/_bmad/x.md', '@pkg/_bmad/x.md']],
    ['@project/docs/_bmad/a/b.md', ['@project/docs/_bmad/a/b.md']],
  ])('[M17] %s', (text, expected) => {
    expect(candidatesOf(text)).toEqual(expected);
  });

  it('[M16] resolves a path literally without a package', () => {
    expect(candidatesOf('templates/t.md', {})).toEqual(['@project/templates/t.md']);
    expect(candidatesOf('@project/_bmad/a/b/c.md', {})).toEqual(['@project/_bmad/a/b/c.md']);
  });
});

describe('selection among candidates', () => {
  async function mounted() {
    const root = await tempFolder();
    await writeTree(root, {
      'project/docs/both.md': 'p',
      'project/docs/own.md': 'p',
      'project/.env': 'secret',
      'pkg/docs/both.md': 'k',
      'pkg/flows/prd/templates/t.md': 'k',
      'pkg/assets/list.csv': 'k',
      'state/workflow.md': 's',
    });
    const roots = { project: `${root}/project`, pkg: `${root}/pkg`, state: `${root}/state` };
    return createMountedFs(roots, (segments) => segments.at(-1) === '.env');
  }
  const find = async (text: string, isFolder = false): Promise<string> => {
    const { found } = await findReadable(text, scope, await mounted(), { isFolder });
    return found.ok ? formatMountPath(found.path) : 'refused';
  };

  it.each([
    ['../templates/t.md', '@pkg/flows/prd/templates/t.md'],
    ['list.csv', '@pkg/assets/list.csv'],
    ['docs/own.md', '@project/docs/own.md'],
    ['docs/both.md', '@pkg/docs/both.md'],
    ['docs/neither.md', '@project/docs/neither.md'],
    ['../nowhere.md', 'refused'],
    ['.env', '@project/.env'],
  ])('[M16] %s → %s', async (text, expected) => {
    expect(await find(text)).toBe(expected);
  });

  it("[M16] prefers the project's folder for listing", async () => {
    expect([await find('docs', true), await find('templates', true)]).toEqual([
      '@project/docs',
      '@pkg/flows/prd/templates',
    ]);
  });

  it('[M16] selects the first existing path, otherwise the first', async () => {
    const files = await mounted();
    const first = async (...texts: [string, ...string[]]): Promise<string> => {
      const found = await findFirst(texts, files);
      return found.ok ? formatMountPath(found.path) : 'refused';
    };
    expect(await first('@pkg/x.csv', '@pkg/assets/list.csv')).toBe('@pkg/assets/list.csv');
    expect(await first('@pkg/x.csv', '@pkg/y.csv')).toBe('@pkg/x.csv');
  });
});
