import { describe, expect, it } from 'vitest';
import { writeTree } from '../testing/file-tree.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { formatMountPath } from './mount-path.ts';
import { createMountedFs } from './mounted-fs.ts';
import { fillableNames, fillVariables, unfilledNames } from './path-template.ts';
import {
  exists,
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
  ])('[M1] %s → %s', (text, expected) => {
    const resolved = resolvePath(text, scope);
    expect(resolved.ok ? formatMountPath(resolved.path) : 'refused').toBe(expected);
  });

  it('[M1] stops at a variable that contains itself', () => {
    expect(fillVariables('{loop}', scope.variables ?? {})).toMatch(/^\{loop\}(?:\/x)+$/);
    expect(fillVariables('{a}'.repeat(2_000), { a: '{a}{a}{a}' }).length).toBeLessThan(20_000);
  });

  it('[M1] fills variables in variables, four deep', () => {
    const chain = { a: '{b}', b: '{c}', c: '{d}', d: '{e}', e: 'end' };
    expect([fillVariables('{b}', chain), fillVariables('{a}', chain)]).toEqual(['end', '{e}']);
  });

  it('[M1] fills up to 8,192 characters', () => {
    for (const length of [8_192, 8_193]) {
      const filled = fillVariables('{a}', { a: 'x'.repeat(length) });
      expect(filled.length).toBe(length === 8_192 ? length : 3);
    }
  });

  it('[M1] fills own text and numbers only', () => {
    const variables = Object.assign(Object.create({ inherited: 'x' }) as object, {
      text: 't',
      n: 0,
      none: '',
      list: ['x'],
      isSet: true,
    });
    expect(fillableNames(variables)).toEqual(['text', 'n']);
    expect(fillVariables('{inherited}/{list}/{isSet}/{n}', variables)).toBe('{inherited}/{list}/{isSet}/0');
  });

  it('[M1] reports names without a value, except roots', () => {
    expect(unfilledNames('{project-root}/{a}/{{b_c}}/{a}/{1}/{x.y}')).toEqual(['a', 'b_c']);
    expect(unfilledNames('{My_project-root}/{project-root-2}')).toEqual([
      'My_project-root',
      'project-root-2',
    ]);
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
    ['../', ['@pkg/flows/prd', '@pkg/flows', '@pkg/assets']],
    ['@pkg/_bmad/core/a.md', ['@pkg/_bmad/core/a.md']],
    ['@pkg/a.md', ['@pkg/a.md']],
    ['{project-root}/docs/a.md', ['@project/docs/a.md']],
    ['workflow.md', ['@state/workflow.md']],
    ['out/prd.md', ['@project/out/prd.md']],
    ['././/out/prd.md', ['@project/out/prd.md']],
    ['./', ['@project']],
    ['.', ['@project']],
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
  ])('[M16] %s', (text, expected) => {
    expect(candidatesOf(text)).toEqual(expected);
  });

  it.each<[text: string, first: string, last: string]>([
    ['o./ut/x.md', '@pkg/flows/prd/steps/o./ut/x.md', '@project/o./ut/x.md'],
    ['x../y.md', '@pkg/flows/prd/steps/x../y.md', '@project/x../y.md'],
    ['{other-root}/x.md', '@pkg/flows/prd/steps/{other-root}/x.md', '@pkg/assets/{other-root}/x.md'],
  ])('[M16] %s is an ordinary name', (text, first, last) => {
    const paths = candidatesOf(text);
    expect([paths[0], paths.at(-1), paths.includes(`@pkg/${text}`)]).toEqual([first, last, true]);
  });

  it('[M16] names the folder of assets once, and any other folder as often as the path does', () => {
    const paths = [...candidatesOf('assets/a.md'), ...candidatesOf('flows/prd/a.md')];
    expect(paths).not.toContain('@pkg/assets/assets/a.md');
    expect(paths).toContain('@pkg/flows/prd/flows/prd/a.md');
  });

  it('[M16] searches beside the step, in its workflow, in the root of the package, and in its assets', () => {
    expect(packageFolders('a/b/step.md', 'a')).toEqual(['a/b', 'a', '.', 'assets']);
    expect(packageFolders()).toEqual(['.', 'assets']);
    const folders = packageFolders();
    expect(candidatesOf('artifacts/x.md', { folders })).toEqual(['@project/artifacts/x.md']);
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
    expect([
      await find('docs', true),
      await find('templates', true),
      await find('../templates', true),
    ]).toEqual(['@project/docs', '@pkg/flows/prd/templates', '@pkg/flows/prd/templates']);
  });

  it('[M16] names the places where it searched, if there were several', async () => {
    const files = await mounted();
    const search = async (text: string, folders = scope.folders) => {
      const { found, missing } = await findReadable(text, { ...scope, folders }, files);
      return [found.ok ? formatMountPath(found.path) : 'refused', missing.length];
    };
    expect(await search('docs/both.md')).toEqual(['@pkg/docs/both.md', 0]);
    expect(await search('docs/neither.md')).toEqual(['@project/docs/neither.md', 5]);
    expect(await search('@project/docs/neither.md')).toEqual(['@project/docs/neither.md', 0]);
    expect(await search('../docs/both.md', ['.'])).toEqual(['@pkg/docs/both.md', 0]);
    expect(await search('../docs/neither.md', ['.'])).toEqual(['refused', 1]);
  });

  it('[M16] leaves errors of the disk to the access, and throws any other', async () => {
    const bug = new TypeError('a bug');
    const files = { ...(await mounted()), withFile: () => Promise.reject(bug) };
    await expect(exists({ mount: '@project', segments: ['a'] }, files)).rejects.toBe(bug);
  });

  it('[M16] selects the first existing path, otherwise the first', async () => {
    const files = await mounted();
    const first = async (...texts: [string, ...string[]]): Promise<string> => {
      const found = await findFirst(texts, files);
      return found.ok ? formatMountPath(found.path) : 'refused';
    };
    expect(await first('@pkg/x.csv', '@pkg/assets/list.csv')).toBe('@pkg/assets/list.csv');
    expect(await first('@pkg/x.csv', '@pkg/y.csv')).toBe('@pkg/x.csv');
    for (const other of ['/etc/passwd', '@project/docs/own.md/below.md'])
      expect(await first(other, '@pkg/assets/list.csv')).toBe('@pkg/assets/list.csv');
  });
});
