import { describe, expect, it } from 'vitest';
import {
  type RefScope,
  type Resolved,
  resolveActionRef,
  resolveDataRef,
  resolveExecRef,
  resolveWorkflowRef,
} from './resolve-refs.ts';

const scope: RefScope = {
  workflows: [
    { path: 'workflow.md' },
    { id: 'story', path: 'workflows/story/workflow.md' },
    { id: 'odd.yaml', path: 'workflows/odd/flow.md' },
    { id: 'two.md', path: 'workflows/two/workflow.md' },
  ],
  promptIds: new Set(['why', 'toString']),
  artifactsDir: 'out',
};

const resolvers = {
  workflow: resolveWorkflowRef,
  exec: resolveExecRef,
  data: resolveDataRef,
  action: resolveActionRef,
};

function shown(resolved: Resolved<object>): string {
  if (!resolved.ok) return resolved.error.code;
  const { otherwise: _, ...ref } = resolved.ref as { otherwise?: unknown };
  return Object.values(ref).join(' ');
}

const rows: [rule: string, field: keyof typeof resolvers, text: string, expected: string][] = [
  ['R18', 'workflow', 'story', 'workflowId story'],
  ['R18', 'workflow', 'odd.yaml', 'workflowId odd.yaml'],
  ['R18', 'workflow', 'two.md', 'workflowId two.md'],
  ['R18', 'workflow', 'workflow.md', 'packagePath workflow.md'],
  ['R18', 'workflow', './workflow.md', 'packagePath workflow.md'],
  ['R18', 'workflow', 'workflows/story/workflow.md', 'packagePath workflows/story/workflow.md'],
  ['R18', 'workflow', '{package-root}/workflows/odd/flow.md', 'packagePath workflows/odd/flow.md'],
  ['R18', 'workflow', '@pkg/workflow.md', 'packagePath workflow.md'],
  ['R18', 'workflow', 'Story', 'UnknownWorkflow'],
  ['R18', 'workflow', 'nothing', 'UnknownWorkflow'],
  ['R18', 'workflow', 'workflows/none/workflow.md', 'UnknownWorkflow'],
  ['R18', 'workflow', '{project-root}/_bmad/workflow.md', 'UnknownWorkflow'],
  ['R18', 'workflow', '@state/workflow.md', 'UnknownWorkflow'],
  ['R18', 'workflow', 'steps/a.md', 'UnknownWorkflow'],
  ['R18', 'exec', 'assets/scan.md', 'markdown @pkg/assets/scan.md'],
  ['R18', 'exec', 'scan.MD', 'markdown @pkg/scan.MD'],
  ['R18', 'exec', '{project-root}/docs/scan.md', 'markdown @project/docs/scan.md'],
  ['R18', 'exec', 'workflow.md', 'workflowMd workflow.md'],
  ['R18', 'exec', '{package-root}/workflows/story/workflow.md', 'workflowMd workflows/story/workflow.md'],
  ['R18', 'exec', 'workflows/odd/flow.md', 'workflowMd workflows/odd/flow.md'],
  ['R18', 'exec', '{project-root}/_bmad/party/workflow.md', 'UnknownWorkflow'],
  ['R18', 'exec', 'none/workflow.md', 'UnknownWorkflow'],
  ['R18', 'workflow', 'a/workflow.yaml', 'NotSupportedClassicWorkflow'],
  ['R18', 'workflow', 'a/workflow.YML', 'NotSupportedClassicWorkflow'],
  ['R18', 'workflow', 'a/workflow.xml', 'NotSupportedClassicWorkflow'],
  ['R18', 'exec', '{project-root}/x/workflow.yaml', 'NotSupportedClassicWorkflow'],
  ['R18', 'exec', 'core/workflow.xml', 'NotSupportedClassicWorkflow'],
  ['R18', 'action', '#why', 'promptId why'],
  ['R18', 'action', '#toString', 'promptId toString'],
  ['R18', 'action', '#valueOf', 'UnknownPromptId'],
  ['R18', 'action', '#', 'UnknownPromptId'],
  ['R18', 'action', 'menu.show', 'builtin menu.show'],
  ['R18', 'action', 'agent.dismiss', 'builtin agent.dismiss'],
  ['R18', 'action', 'run.resume', 'builtin run.resume'],
  ['R18', 'action', 'Menu.show', 'inline Menu.show'],
  ['R18', 'action', 'Say # hello', 'inline Say # hello'],
  ['R18', 'data', 'assets/a.json', 'path @pkg/assets/a.json json'],
  ['R18', 'data', 'assets/a.yaml', 'path @pkg/assets/a.yaml yaml'],
  ['R18', 'data', 'assets/a.YML', 'path @pkg/assets/a.YML yaml'],
  ['R18', 'data', 'assets/a.csv', 'path @pkg/assets/a.csv csv'],
  ['R18', 'data', 'assets/a.xml', 'path @pkg/assets/a.xml xml'],
  ['R18', 'data', 'assets/a.md', 'path @pkg/assets/a.md text'],
  ['R18', 'data', 'assets/a', 'path @pkg/assets/a text'],
  ['R18', 'data', 'assets/a.constructor', 'path @pkg/assets/a.constructor text'],
  ['R18', 'data', '{project-root}/a.csv', 'path @project/a.csv csv'],
  ['R18', 'data', '{artifacts-root}/a.md', 'path @project/out/a.md text'],
  ['R18', 'data', '{state-root}/a.json', 'path @state/a.json json'],
  ['R18', 'data', '{package-root}/a.json', 'path @pkg/a.json json'],
  ['R18', 'data', 'docs/../a.json', 'path @pkg/a.json json'],
  ['R18', 'data', '{name}/a.json', 'path @pkg/{name}/a.json json'],
  ['R18', 'data', '{home-root}/a.json', 'PermissionDenied'],
  ['R18', 'data', '../a.json', 'PermissionDenied'],
  ['R18', 'data', '@pkg/../a.json', 'PermissionDenied'],
  ['R18', 'data', '/etc/passwd', 'PermissionDenied'],
  ['R18', 'data', '~/a.json', 'PermissionDenied'],
  ['R18', 'data', 'C:/a.json', 'PermissionDenied'],
  ['R18', 'data', '@home/a.json', 'PermissionDenied'],
  ['R18', 'data', 'https://example.org/a.json', 'PermissionDenied'],
  ['R18', 'exec', '../run.md', 'PermissionDenied'],
  ['R18', 'workflow', '/workflow.md', 'PermissionDenied'],
];

describe('targets of menu items', () => {
  for (const [rule, field, text, expected] of rows) {
    it(`[${rule}] ${field} ${JSON.stringify(text)} → ${expected}`, () => {
      expect(shown(resolvers[field](text, scope))).toBe(expected);
    });
  }

  it('[R18] a relative path is also looked up in assets and in the project, one below _bmad in the package', () => {
    expect(resolveDataRef('data/types.csv', scope)).toEqual({
      ok: true,
      ref: {
        type: 'path',
        path: '@pkg/data/types.csv',
        otherwise: ['@pkg/assets/data/types.csv', '@project/data/types.csv'],
        parseAs: 'csv',
      },
    });
    expect(resolveExecRef('{project-root}/_bmad/core/tasks/help.md', scope)).toEqual({
      ok: true,
      ref: {
        type: 'markdown',
        mdPath: '@project/_bmad/core/tasks/help.md',
        otherwise: ['@pkg/_bmad/core/tasks/help.md', '@pkg/core/tasks/help.md', '@pkg/tasks/help.md'],
      },
    });
    const workflowMdPath = 'workflows/story/workflow.md';
    for (const target of ['{project-root}/_bmad/bmm/workflows/story/workflow.md', `./${workflowMdPath}`]) {
      expect(resolveWorkflowRef(target, scope)).toEqual({
        ok: true,
        ref: { type: 'packagePath', workflowMdPath },
      });
      expect(resolveExecRef(target, scope)).toEqual({
        ok: true,
        ref: { type: 'workflowMd', workflowMdPath },
      });
    }
  });

  it('[R18] an unknown workflow is rejected with a list of known ones', () => {
    expect(resolveWorkflowRef('sotry', scope)).toEqual({
      ok: false,
      error: {
        code: 'UnknownWorkflow',
        message: 'The package has no workflow "sotry"; it has workflow.md, story, odd.yaml, two.md.',
      },
    });
  });
});
