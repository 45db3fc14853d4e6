import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { expect, it } from 'vitest';
import { textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { createMcpRig, testServer } from '../testing/rigs/mcp-rig.ts';
import { processesIn } from '../testing/views.ts';

const call = (name: string) => toolCallReply([{ name, arguments: {} }]);

const answersOf = (events: readonly RunEvent[]): unknown[] =>
  events
    .filter((event): event is EventOf<'tool.ended'> => event.type === 'tool.ended')
    .map(({ content }) => JSON.parse(content) as unknown);

const trusted = { test: { ...testServer(), trusted: true } };

it('[Y30] a question of a server during a call is asked like others, and its answers go to the server', async () => {
  const rig = await createMcpRig([call('mcp_test_ask'), textReply('.')], { test: testServer() });
  const { session, events } = await rig.chat('ask');
  await session.input('go');
  expect(await session.approve({ decision: 'once' })).toMatchObject({ reason: { code: 'question' } });
  const [asked] = events.filter((event) => event.type === 'question.asked');
  expect(asked).toMatchObject({
    questions: [
      { id: 'number', type: 'text', prompt: 'The MCP server "test" asks: Which ticket?\nNumber' },
      { id: 'kind', type: 'choice', options: ['bug', 'task'] },
      { id: 'urgent', type: 'confirm' },
    ],
  });
  await session.answer({ number: '7', kind: 'task', urgent: null });
  expect(answersOf(events)).toEqual([
    {
      ok: true,
      text: 'asked',
      structured: { reply: { result: { action: 'accept', content: { number: 7, kind: 'task' } } } },
    },
  ]);
  // Asked for consent once, for the whole call.
  expect(events.filter(({ type }) => type === 'approval.requested')).toHaveLength(1);
});

it('[Y30] skipping every question declines, and so does autopilot, where nobody is expected to answer', async () => {
  const rig = await createMcpRig([call('mcp_test_ask'), textReply('.')], trusted);
  const { session, events } = await rig.chat('ask');
  await session.input('go');
  await session.approve({ decision: 'once' });
  await session.answer({ number: null, kind: null, urgent: null });
  expect(answersOf(events)).toMatchObject([{ structured: { reply: { result: { action: 'decline' } } } }]);

  const alone = await createMcpRig([call('mcp_test_ask'), textReply('.')], trusted);
  const chat = await alone.chat('autopilot');
  await chat.session.input('go');
  expect(answersOf(chat.events)).toMatchObject([
    { structured: { reply: { result: { action: 'decline' } } } },
  ]);
});

it('[Y30] answers for a server that has ended are not delivered, and the call is not repeated', async () => {
  const rig = await createMcpRig([call('mcp_test_ask'), textReply('.')], trusted);
  const first = await rig.chat('ask');
  await first.session.input('go');
  await first.session.approve({ decision: 'once' });
  await first.session.close();
  await expect.poll(() => processesIn(rig.project)).toEqual([]);
  const session = await rig.runtime.openConversation('last');
  const events: RunEvent[] = [];
  session.subscribe((event) => events.push(event));
  await session.answer({ number: '7', kind: 'bug', urgent: true });
  await session.close();
  expect(answersOf(events)).toMatchObject([{ error: { code: 'ENGINE_ABORTED' } }]);
});

it('[Y30] a server gets no access to the model, and the project as its only root', async () => {
  const rig = await createMcpRig([call('mcp_test_sample'), textReply('.')], trusted);
  const { session, events } = await rig.chat('autopilot');
  await session.input('go');
  expect(answersOf(events)).toMatchObject([
    {
      structured: {
        reply: { error: { code: -32601 } },
        roots: { result: { roots: [{ uri: `file://${rig.project}`, name: 'project' }] } },
      },
    },
  ]);
});

it('[Y30] a form that asks for a password is declined, and the person is told', async () => {
  const rig = await createMcpRig([call('mcp_test_ask-secret'), textReply('.')], {
    test: testServer('ask-secret'),
  });
  const { session, events } = await rig.chat('ask');
  await session.input('go');
  await session.approve({ decision: 'once' });
  expect(answersOf(events)).toMatchObject([{ structured: { reply: { result: { action: 'decline' } } } }]);
  expect(events.filter(({ type }) => type === 'question.asked')).toEqual([]);
  expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
    { code: 'MCP_SECRET_DECLINED', details: { server: 'test', field: 'Your GitHub pаssword' } },
  ]);
});
