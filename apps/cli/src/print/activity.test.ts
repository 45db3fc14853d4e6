import type { RunEvent } from '@crewagent/protocol/events';
import { addToWorkStory, createWorkStory } from '@crewagent/protocol/story/work-story';
import { expect, it } from 'vitest';
import { describeFacts, toActivity } from './activity.ts';

const stamp = { v: 1, ts: '2026-01-01T00:00:00Z', runId: 'r' } as const;

it('[C13] the status line shows what a call does, and its progress', () => {
  const view = createWorkStory('r');
  const context = { view, language: 'en' } as const;
  const call = { ...stamp, seq: 1, callId: 'c', name: 'mcp.tickets.sync' };
  const progress = { ...call, type: 'tool.progress' } as const;
  expect(toActivity({ ...progress, progress: 1, total: 4, message: 'Half' }, context)).toBe(
    'mcp.tickets.sync · 25 % · Half',
  );
  const reply: RunEvent = {
    ...stamp,
    seq: 2,
    type: 'message.completed',
    role: 'assistant',
    purpose: 'reply',
    content: '',
    toolCalls: [{ id: 'f', name: 'fs.read', arguments: '{"path":"@project/docs/prd.md"}' }],
  };
  addToWorkStory(view, reply);
  const started = {
    ...stamp,
    seq: 3,
    type: 'tool.started',
    callId: 'f',
    name: 'fs.read',
    path: '@project/docs/prd.md',
  } as const;
  addToWorkStory(view, started);
  expect(toActivity(started, context)).toBe('Reading docs/prd.md');
});

it('[C13] the status line shows the step, the tokens, the cost and the model', () => {
  const view = createWorkStory('r');
  addToWorkStory(view, {
    ...stamp,
    seq: 1,
    type: 'run.created',
    package: { name: 'p', version: '1.0.0', hash: 'a'.repeat(64) },
    workflow: { ref: 'w', title: 'W' },
    nodes: [
      { id: 'a', title: 'First', type: 'step' },
      { id: 'b', title: '', type: 'end' },
    ],
    entryNodeId: 'a',
    activeAgentId: 'sm',
    model: { kind: 'provider', profile: 'crew', settings: { provider: 'generic', model: 'crew-large' } },
    variables: {},
  } as unknown as RunEvent);
  expect(describeFacts(view)).toEqual(['step 1/2', 'crew']);
});
