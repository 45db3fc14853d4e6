import { describe, expect, it } from 'vitest';
import { inspectSample } from '../../testing/inspect.ts';
import { first } from '../../testing/packages/sample-package.ts';

describe('menus', () => {
  const cases: [what: string, item: Record<string, unknown>, leadsSomewhere: boolean][] = [
    ['a workflow path', { workflow: 'workflow.md' }, true],
    ['a workflow path from the package root', { workflow: '{package-root}/workflow.md' }, true],
    ['an unknown workflow id', { workflow: 'nope' }, false],
    ['a workflow path that is not there', { workflow: 'nope.md' }, false],
    ['a classic workflow', { workflow: '{project-root}/_bmad/workflow.yaml' }, false],
    ['a script', { exec: 'steps/step-01.md' }, true],
    ['a script in the project', { exec: '{project-root}/docs/script.md' }, true],
    ['a script that is not there', { exec: 'steps/none.md' }, false],
    ['a classic script', { exec: 'task.xml' }, false],
    ['a prompt', { action: '#greet' }, true],
    ['an unknown prompt', { action: '#nope' }, false],
    ['an inline action', { action: 'Say hello.' }, true],
    ['missing data', { action: 'x', data: 'assets/none.csv' }, false],
    ['validate-workflow that is not there', { workflow: 'workflow.md', 'validate-workflow': 'nope' }, false],
    ['nothing at all', {}, false],
    ['only an alias', { triggers: [{ type: 'alias', match: 'x' }] }, false],
    ['a handler', { triggers: [{ type: 'handler', match: 'x', workflow: 'workflow.md' }] }, true],
    ['a handler that leads nowhere', { triggers: [{ type: 'handler', match: 'x', exec: 'none.md' }] }, false],
    ['a command of the runtime', { cmd: '*menu' }, true],
  ];
  for (const [what, item, leadsSomewhere] of cases) {
    it(`[B14] ${what} ${leadsSomewhere ? 'has a valid target' : 'has no valid target'}`, async () => {
      const found = await inspectSample(({ agents }) => {
        first(agents.agents).prompts = [{ id: 'greet', content: 'Hello' }];
        first(agents.agents).menu = [{ description: 'Item', ...item }];
      });
      expect(found).toEqual(leadsSomewhere ? [] : ['MENU_ITEM_DEAD agents.json /agents/0/menu/0']);
    });
  }
});
