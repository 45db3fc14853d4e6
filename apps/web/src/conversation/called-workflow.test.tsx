import type { ApiClient } from '@crewagent/protocol/api/client';
import type { RunFact } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findIssues } from '../testing/find-issues.ts';
import { inConversation } from '../testing/logs.ts';
import { asking, RUN_ID, runCreated, toLog } from '../testing/made-events.ts';
import { NO_SERVER } from '../testing/no-server.ts';
import { renderConversation } from '../testing/render-conversation.tsx';

const CHILD_ID = '01a1de9a-0000-7000-8000-000000000002';
const workflow = { ref: 'review/workflow.md', title: 'Review' };
const calling: RunFact = { type: 'call.started', nodeId: 'step-01-intake', childId: CHILD_ID, workflow };

function waitingFor(code: 'question' | 'STATE_DAMAGED'): RunFact {
  const details = { path: [{ nodeId: 'step-01-intake', title: 'Intake' }] };
  return { type: 'phase.changed', phase: 'WaitingUser', reason: { code, message: 'Intake: …', details } };
}

/** A run in a conversation whose first step called a workflow. */
function calledLog(child: readonly RunFact[], stop: RunFact) {
  const [created, ...rest] = child;
  const inCall = {
    ...created,
    workflow,
    nodes: [{ id: 'step-01-intake', title: 'Look closely', type: 'step' }],
    call: { parentId: RUN_ID, nodeId: 'step-01-intake', depth: 1 },
  } as RunFact;
  const root = toLog(RUN_ID, [runCreated, { type: 'phase.changed', phase: 'Running' }, calling, stop]);
  return [...inConversation(root), ...toLog(CHILD_ID, [inCall, ...rest])];
}

describe('a sub-workflow on the page', () => {
  it('[Q44] asks its question in the conversation of the run, below the steps that lead to it', async () => {
    sessionStorage.clear();
    const { api } = await renderConversation(calledLog(asking, waitingFor('question')));
    await expect.element(page.getByText('Running the workflow Review')).toBeVisible();
    await expect.element(page.getByText('A few questions before I begin.')).toBeVisible();
    const trail = page.getByRole('navigation', { name: 'Steps that lead to this workflow' });
    await expect.element(trail).toHaveTextContent('Intake');
    const name = page.getByRole('textbox', { name: 'What is the project called?' });
    await name.fill('Larder');
    await expect.element(name).toHaveValue('Larder');
    expect(api.sent).toEqual([]);
  });

  it('[Q44] can be resumed or skipped when it is idle', async () => {
    sessionStorage.clear();
    const skipped: string[] = [];
    const failed: RunFact = { type: 'phase.changed', phase: 'Failed' };
    await renderConversation(calledLog([runCreated, failed], waitingFor('STATE_DAMAGED')), {
      skip: async (workId) => void skipped.push(workId),
    });
    await expect
      .element(page.getByRole('navigation', { name: 'Steps that lead to this workflow' }))
      .toBeVisible();
    await page.getByRole('button', { name: 'Skip this workflow' }).click();
    await expect.poll(() => skipped.length).toBe(1);
  });

  it('[Q44] its graph opens inside of the node that called it, by itself while it is under way', async () => {
    sessionStorage.clear();
    await page.viewport(1400, 900);
    const nodes = [{ id: 'step-01-intake', type: 'step', title: 'Look closely' }];
    const packages = { ...NO_SERVER.packages, graph: async () => ({ nodes, edges: [] }) };
    const client = { ...NO_SERVER, packages } as unknown as ApiClient;
    const calls = { id: 'step-01-intake', subworkflow: 'review/workflow.md' };
    await renderConversation(calledLog(asking, waitingFor('question')), {}, client, [calls]);
    const graph = page.getByRole('region', { name: 'Workflow graph' });
    await expect.element(graph.getByText('Look closely')).toBeVisible();
    const outer = graph.getByRole('group', { name: /^Intake, / }).element();
    const inner = graph.getByRole('group', { name: /^Look closely, in progress/ }).element();
    const [around, within] = [outer.getBoundingClientRect(), inner.getBoundingClientRect()];
    expect(within.top).toBeGreaterThan(around.top);
    expect(within.bottom).toBeLessThan(around.bottom);
    expect(await findIssues(graph.element())).toEqual([]);
    await graph.getByRole('button', { name: 'Hide the steps of Intake' }).click();
    await expect.element(graph.getByText('Look closely')).not.toBeInTheDocument();
    await graph.getByRole('button', { name: 'Show the steps of Intake' }).click();
    await graph.getByText('Look closely').click();
    await expect
      .element(page.getByRole('list', { name: 'Workflow steps' }))
      .toHaveTextContent('Look closely');
  });

  it('[Q44] its steps stand below the step that called it, and open in place with a way back', async () => {
    sessionStorage.clear();
    await page.viewport(1400, 900);
    await renderConversation(calledLog(asking, waitingFor('question')));
    const steps = page.getByRole('list', { name: 'Review' });
    await expect.element(steps).toHaveTextContent('Look closely');
    await steps.getByRole('button', { name: 'Look closely' }).click();
    await expect
      .element(page.getByRole('list', { name: 'Workflow steps' }))
      .toHaveTextContent('Look closely');
    const trail = page.getByRole('navigation', { name: 'Steps that lead to this workflow' }).last();
    await trail.getByRole('button', { name: 'Plan a project' }).click();
    await expect.element(page.getByRole('list', { name: 'Review' })).toBeVisible();
  });
});
