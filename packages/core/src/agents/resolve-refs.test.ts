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
  ['R19', 'workflow', 'story', 'workflowId story'],
  ['R19', 'workflow', 'odd.yaml', 'workflowId odd.yaml'],
  ['R19', 'workflow', 'two.md', 'workflowId two.md'],
  ['R19', 'workflow', 'workflow.md', 'packagePath workflow.md'],
  ['R19', 'workflow', './workflow.md', 'packagePath workflow.md'],
  ['R19', 'workflow', 'workflows/story/workflow.md', 'packagePath workflows/story/workflow.md'],
  ['R19', 'workflow', '{package-root}/workflows/odd/flow.md', 'packagePath workflows/odd/flow.md'],
  ['R19', 'workflow', '@pkg/workflow.md', 'packagePath workflow.md'],
  ['R19', 'workflow', 'Story', 'UnknownWorkflow'],
  ['R19', 'workflow', 'nothing', 'UnknownWorkflow'],
  ['R19', 'workflow', 'workflows/none/workflow.md', 'UnknownWorkflow'],
  ['R19', 'workflow', '{project-root}/_bmad/workflow.md', 'UnknownWorkflow'],
  ['R19', 'workflow', '@state/workflow.md', 'UnknownWorkflow'],
  ['R19', 'workflow', 'steps/a.md', 'UnknownWorkflow'],
  ['R20', 'exec', 'assets/scan.md', 'markdown @pkg/assets/scan.md'],
  ['R20', 'exec', 'scan.MD', 'markdown @pkg/scan.MD'],
  ['R20', 'exec', '{project-root}/docs/scan.md', 'markdown @project/docs/scan.md'],
  ['R20', 'exec', 'workflow.md', 'workflowMd workflow.md'],
  ['R20', 'exec', '{package-root}/workflows/story/workflow.md', 'workflowMd workflows/story/workflow.md'],
  ['R20', 'exec', 'workflows/odd/flow.md', 'workflowMd workflows/odd/flow.md'],
  ['R20', 'exec', '{project-root}/_bmad/party/workflow.md', 'UnknownWorkflow'],
  ['R20', 'exec', 'none/workflow.md', 'UnknownWorkflow'],
  ['R21', 'workflow', 'a/workflow.yaml', 'NotSupportedClassicWorkflow'],
  ['R21', 'workflow', 'a/workflow.YML', 'NotSupportedClassicWorkflow'],
  ['R21', 'workflow', 'a/workflow.xml', 'NotSupportedClassicWorkflow'],
  ['R21', 'exec', '{project-root}/x/workflow.yaml', 'NotSupportedClassicWorkflow'],
  ['R21', 'exec', 'core/workflow.xml', 'NotSupportedClassicWorkflow'],
  ['R22', 'action', '#why', 'promptId why'],
  ['R22', 'action', '#toString', 'promptId toString'],
  ['R22', 'action', '#valueOf', 'UnknownPromptId'],
  ['R22', 'action', '#', 'UnknownPromptId'],
  ['R22', 'action', 'menu.show', 'builtin menu.show'],
  ['R22', 'action', 'agent.dismiss', 'builtin agent.dismiss'],
  ['R22', 'action', 'run.resume', 'builtin run.resume'],
  ['R22', 'action', 'Menu.show', 'inline Menu.show'],
  ['R22', 'action', 'Say # hello', 'inline Say # hello'],
  ['R23', 'data', 'assets/a.json', 'path @pkg/assets/a.json json'],
  ['R23', 'data', 'assets/a.yaml', 'path @pkg/assets/a.yaml yaml'],
  ['R23', 'data', 'assets/a.YML', 'path @pkg/assets/a.YML yaml'],
  ['R23', 'data', 'assets/a.csv', 'path @pkg/assets/a.csv csv'],
  ['R23', 'data', 'assets/a.xml', 'path @pkg/assets/a.xml xml'],
  ['R23', 'data', 'assets/a.md', 'path @pkg/assets/a.md text'],
  ['R23', 'data', 'assets/a', 'path @pkg/assets/a text'],
  ['R23', 'data', 'assets/a.constructor', 'path @pkg/assets/a.constructor text'],
  ['R24', 'data', '{project-root}/a.csv', 'path @project/a.csv csv'],
  ['R24', 'data', '{artifacts-root}/a.md', 'path @project/out/a.md text'],
  ['R24', 'data', '{state-root}/a.json', 'path @state/a.json json'],
  ['R24', 'data', '{package-root}/a.json', 'path @pkg/a.json json'],
  ['R24', 'data', 'docs/../a.json', 'path @pkg/a.json json'],
  ['R24', 'data', '{name}/a.json', 'path @pkg/{name}/a.json json'],
  ['R24', 'data', '{home-root}/a.json', 'PermissionDenied'],
  ['R24', 'data', '../a.json', 'PermissionDenied'],
  ['R24', 'data', '@pkg/../a.json', 'PermissionDenied'],
  ['R24', 'data', '/etc/passwd', 'PermissionDenied'],
  ['R24', 'data', '~/a.json', 'PermissionDenied'],
  ['R24', 'data', 'C:/a.json', 'PermissionDenied'],
  ['R24', 'data', '@home/a.json', 'PermissionDenied'],
  ['R24', 'data', 'https://example.org/a.json', 'PermissionDenied'],
  ['R24', 'exec', '../run.md', 'PermissionDenied'],
  ['R24', 'workflow', '/workflow.md', 'PermissionDenied'],
];

describe('targets of menu items', () => {
  for (const [rule, field, text, expected] of rows) {
    it(`[${rule}] ${field} ${JSON.stringify(text)} → ${expected}`, () => {
      expect(shown(resolvers[field](text, scope))).toBe(expected);
    });
  }

  it('[R24] a relative path is also looked up in assets and in the project, one below _bmad in the package', () => {
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

  it('[R19] an unknown workflow is rejected with a list of known ones', () => {
    expect(resolveWorkflowRef('sotry', scope)).toEqual({
      ok: false,
      error: {
        code: 'UnknownWorkflow',
        message: 'The package has no workflow "sotry"; it has workflow.md, story, odd.yaml, two.md.',
      },
    });
  });
});
