import type { MenuItem } from '@crewagent/protocol/agents';
import type { CommandResolution } from '@crewagent/protocol/commands';
import { describe, expect, it } from 'vitest';
import { resolveCommand } from './command-router.ts';

function choose(item: Partial<MenuItem>, input = '1'): CommandResolution {
  return resolveCommand(input, {
    agent: { menu: [{ description: 'Do it', ...item }], prompts: [{ id: 'why', content: 'Why?' }] },
    workflows: [{ id: 'story', path: 'workflow.md' }],
    surface: 'electron',
    artifactsDir: 'artifacts',
  });
}

describe('the command of a chosen item', () => {
  it('[R18] the first filled target counts', () => {
    const all = { workflow: 'story', exec: 'a.md', action: '#why' };
    expect(choose(all).kind).toBe('StartWorkflow');
    expect(choose({ ...all, workflow: ' ' }).kind).toBe('ExecScript');
    expect(choose({ ...all, workflow: '', exec: '' })).toMatchObject({
      kind: 'RunAction',
      actionRef: { type: 'promptId', id: 'why' },
    });
    expect(choose({})).toMatchObject({ kind: 'Refused', error: { code: 'NothingToRun' } });
  });

  it('[R18] a target of the item takes precedence over its handlers', () => {
    const triggers = [{ type: 'handler', match: 'other', action: 'Other.' }];
    expect(choose({ action: 'Own.', triggers })).toMatchObject({
      actionRef: { type: 'inline', text: 'Own.' },
    });
    expect(choose({ action: 'Own.', triggers }, 'other')).toMatchObject({
      actionRef: { type: 'inline', text: 'Other.' },
      matchedHandlerIndex: 1,
    });
    expect(choose({ triggers })).toMatchObject({ actionRef: { text: 'Other.' }, matchedHandlerIndex: 1 });
    expect(choose({ triggers: [{ type: 'handler', match: 'x' }] })).toMatchObject({ kind: 'Refused' });
  });

  it('[R18] an item named after a command of the runtime needs no target', () => {
    expect(choose({ cmd: '*dismiss' })).toMatchObject({ kind: 'DismissAgent', matchedMenuItemIndex: 1 });
    expect(choose({ trigger: '/menu' }).kind).toBe('ShowMenu');
    expect(choose({ trigger: 'Resume' }).kind).toBe('ResumeRun');
    expect(choose({ trigger: 'stop' })).toMatchObject({ actionRef: { type: 'builtin', name: 'run.stop' } });
    expect(choose({ trigger: 'stop', action: 'Say stop.' })).toMatchObject({ actionRef: { type: 'inline' } });
  });

  it('[R18] a script that is a workflow starts it', () => {
    expect(choose({ exec: '{package-root}/workflow.md' })).toMatchObject({
      kind: 'StartWorkflow',
      workflowRef: { type: 'packagePath', workflowMdPath: 'workflow.md' },
    });
  });

  it('[R18] built-in actions become their own commands', () => {
    expect(choose({ action: 'menu.show' }).kind).toBe('ShowMenu');
    expect(choose({ action: 'agent.dismiss' }).kind).toBe('DismissAgent');
    expect(choose({ action: 'run.resume' }).kind).toBe('ResumeRun');
    expect(choose({ action: 'run.pause' })).toMatchObject({
      kind: 'RunAction',
      actionRef: { name: 'run.pause' },
    });
    expect(choose({ action: '#none' })).toMatchObject({
      kind: 'Refused',
      error: { code: 'UnknownPromptId' },
    });
  });

  it('[R18] data is part of the command; a handler has its own', () => {
    const triggers = [{ type: 'handler', match: 'other', action: 'Other.', data: 'b.csv' }];
    const item = { action: 'Own.', data: 'a.json', triggers };
    expect(choose(item)).toMatchObject({ dataRef: { type: 'path', path: '@pkg/a.json', parseAs: 'json' } });
    expect(choose(item, 'other')).toMatchObject({ dataRef: { path: '@pkg/b.csv', parseAs: 'csv' } });
    expect(choose({ ...item, data: '' })).toMatchObject({ kind: 'RunAction', dataRef: undefined });
    expect(choose({ ...item, data: '../x' })).toMatchObject({ error: { code: 'PermissionDenied' } });
  });

  it('[R18] a validation before the start must name a workflow', () => {
    const item = { workflow: 'story' };
    expect(choose({ ...item, 'validate-workflow': 'workflow.md' })).toMatchObject({
      kind: 'StartWorkflow',
      validateRef: { type: 'packagePath', workflowMdPath: 'workflow.md' },
    });
    expect(choose({ ...item, 'validate-workflow': 'none' })).toMatchObject({
      kind: 'Refused',
      error: {
        code: 'ValidationFailed',
        message:
          'The validation before the start is not possible: The package has no workflow "none"; it has story.',
      },
    });
  });
});
