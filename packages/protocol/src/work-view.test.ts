import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modeOf } from './conversation-state.ts';
import type { RunEvent, RunFact } from './events.ts';
import { foldRun } from './run-view.ts';
import type { TimelineItem } from './timeline.ts';
import { activeView, addToWorkView, createWorkView, toWorkTimeline, type WorkView } from './work-view.ts';

const CONVERSATION = 'c';
const RUNS = ['r1', 'r2', 'r3'] as const;

/** The log of a run or a conversation. */
function toLog(runId: string, facts: readonly RunFact[]): RunEvent[] {
  return facts.map((fact, index) => {
    const ts = new Date(Date.UTC(2026, 0, 31, 9, 30, index)).toISOString();
    return { v: 1, seq: index + 1, ts, runId, ...fact } as RunEvent;
  });
}

function viewOf(events: Iterable<RunEvent>): WorkView {
  const view = createWorkView(CONVERSATION);
  for (const event of events) addToWorkView(view, event);
  return view;
}

const said = (content: string): RunFact => ({ type: 'input.queued', content });
const told = (content: string): RunFact => ({
  type: 'message.completed',
  role: 'user',
  purpose: 'input',
  content,
});
const replied = (content: string, callId?: string): RunFact => ({
  type: 'message.completed',
  role: 'assistant',
  purpose: 'reply',
  turn: 1,
  content,
  ...(callId === undefined ? {} : { toolCalls: [{ id: callId, name: 'fs.read', arguments: '{}' }] }),
});
const ended = (callId: string, content: string): RunFact => ({
  type: 'tool.ended',
  callId,
  name: 'fs.read',
  outcome: 'ok',
  durationMs: 3,
  content,
});
const entered = (enteredRunId: string, afterSeq: number): RunFact => ({
  type: 'run.entered',
  enteredRunId,
  afterSeq,
  title: `The story of ${enteredRunId}`,
});
const left = (leftRunId: string): RunFact => ({ type: 'run.left', leftRunId });
const bob: RunFact = {
  type: 'agent.entered',
  agent: {
    agentId: 'bob',
    name: 'Bob',
    title: 'Scrum master',
    package: { name: 'sample', version: '1.0.0', hash: 'a'.repeat(64) },
  },
};
const typed = (input: string, kind: 'ShowMenu' | 'StartWorkflow' | 'ResumeRun'): RunFact => ({
  type: 'command.resolved',
  input,
  kind,
  confidence: 'exact',
  reason: 'it is the number of an item',
});
const menu: RunFact = {
  type: 'menu.shown',
  agentId: 'bob',
  entries: [{ index: 1, label: 'create-story', description: 'Write a story', handlers: [] }],
};
const waits: RunFact = {
  type: 'phase.changed',
  phase: 'WaitingUser',
  reason: { code: 'reply', message: '' },
};

describe('a timeline', () => {
  /** One line an entry, as a person would tell it. */
  const describeItem = (item: TimelineItem): string => {
    switch (item.kind) {
      case 'person':
      case 'reply':
        return `${item.kind}: ${item.text}`;
      case 'tool':
        return `tool: ${item.name} ${item.status} ${item.answer ?? ''}`;
      case 'agent':
        return `agent: ${item.agent.name}`;
      case 'command':
        return `command: ${item.input} → ${item.command}`;
      case 'menu':
        return `menu: ${item.entries.map(({ label }) => label).join(', ')}`;
      case 'run':
        return `run: ${item.title}`;
      case 'errand':
        return `errand: ${item.label}`;
      default:
        return item.kind;
    }
  };

  it('[U190] has what was said meanwhile where the model was told it, each once and in its order', () => {
    const log = toLog(CONVERSATION, [
      said('Tell me.'),
      { type: 'phase.changed', phase: 'Running' },
      told('Tell me.'),
      said('In short!'),
      said('And in verse.'),
      replied('At length…', 'call-1'),
      ended('call-1', 'all of it'),
      told('In short!'),
      told('And in verse.'),
      replied('So be it.'),
      said('Thanks.'),
    ]);
    const { own } = viewOf(log);
    expect(own.timeline.map(describeItem)).toEqual([
      'person: Tell me.',
      'phase',
      'reply: At length…',
      'tool: fs.read ok all of it',
      'person: In short!',
      'person: And in verse.',
      'reply: So be it.',
      'person: Thanks.',
    ]);
    expect(own.timeline.map(({ seq }) => seq)).toEqual(
      own.timeline.map(({ seq }) => seq).toSorted((a, b) => a - b),
    );
    expect(own.queued.map(({ text }) => text)).toEqual(['Thanks.']);
  });

  it('[V16] shows what happened in a run where the run was entered, each time what came after', () => {
    const own = toLog(CONVERSATION, [
      { type: 'conversation.created', kind: 'agent', model: { kind: 'rehearsal' } },
      bob,
      typed('', 'ShowMenu'),
      menu,
      typed('1', 'StartWorkflow'),
      entered('r1', 0),
      left('r1'),
      said('What is a story?'),
      told('What is a story?'),
      replied('A short promise.'),
      waits,
      typed('resume', 'ResumeRun'),
      entered('r1', 6),
      left('r1'),
      said('Thanks.'),
    ]);
    const run = toLog('r1', [
      {
        type: 'input.queued',
        purpose: 'data',
        label: '@pkg/data/stories.csv',
        content: 'DATA_CONTEXT\n…\nEND_DATA_CONTEXT',
      },
      said('About boats.'),
      told('About boats.'),
      replied('I read first.', 'call-1'),
      { type: 'tool.started', callId: 'call-1', name: 'fs.read' },
      waits,
      { type: 'run.resumed' },
      ended('call-1', 'the file'),
      { type: 'message.completed', role: 'user', purpose: 'anchor', content: 'RUN_DIRECTIVE' },
      replied('Done.'),
      waits,
    ]);
    const lines = toWorkTimeline(viewOf([...own, ...run])).map(
      ({ source, item }) => `${source} ${item.seq} ${describeItem(item)}`,
    );
    expect(lines).toEqual([
      'c 2 agent: Bob',
      'c 3 command:  → ShowMenu',
      'c 4 menu: create-story',
      'c 5 command: 1 → StartWorkflow',
      'c 6 run: The story of r1',
      'r1 1 errand: @pkg/data/stories.csv',
      'r1 2 person: About boats.',
      'r1 4 reply: I read first.',
      'r1 4 tool: fs.read ok the file',
      'r1 6 phase',
      'c 7 run-left',
      'c 8 person: What is a story?',
      'c 10 reply: A short promise.',
      'c 11 phase',
      'c 12 command: resume → ResumeRun',
      'c 13 run: The story of r1',
      'r1 10 reply: Done.',
      'r1 11 phase',
      'c 14 run-left',
      'c 15 person: Thanks.',
    ]);
  });

  it('[V16] shows two runs side by side, and none of a run that is not known yet', () => {
    const own = toLog(CONVERSATION, [entered('r1', 0), entered('r2', 0), entered('r1', 1), entered('r3', 0)]);
    const [one, other] = [toLog('r1', [said('a'), said('c')]), toLog('r2', [said('b')])];
    const items = toWorkTimeline(viewOf([...own, ...other, ...one]));
    expect(items.map(({ item }) => (item.kind === 'person' ? item.text : ''))).toEqual([
      '',
      'a',
      '',
      'b',
      '',
      'c',
      '',
    ]);
  });

  it('[V16] is the same for what is under way: the run one is in, else the talk', () => {
    const asked: RunFact = { type: 'question.asked', callId: 'q', questions: [] };
    const run = toLog('r1', [asked, waits]);
    const inRun = viewOf([...toLog(CONVERSATION, [bob, entered('r1', 0)]), ...run]);
    expect(activeView(inRun)).toMatchObject({ runId: 'r1', pending: { callId: 'q' } });
    const after = viewOf([...toLog(CONVERSATION, [bob, entered('r1', 0), left('r1')]), ...run]);
    expect(activeView(after)).toMatchObject({ runId: CONVERSATION, pending: undefined });
    const inScript = viewOf(
      toLog(CONVERSATION, [bob, { type: 'script.entered', path: '@pkg/a.md', inputs: [] }]),
    );
    expect([modeOf(inScript.state), activeView(inScript).runId]).toEqual(['run', CONVERSATION]);
  });

  it('[U131] [T62] tells with a call which word of a person it needs, and what they said', () => {
    const asked = {
      type: 'approval.requested',
      callId: 'c',
      tool: 'fs.write',
      path: '@project/a',
      diff: 'D',
    } as const;
    const said: RunFact = {
      type: 'approval.resolved',
      callId: 'c',
      tool: 'fs.write',
      path: '@project/a',
      decision: 'no',
      note: 'Not now.',
    };
    const action = {
      title: 'fs.write wants to change @project/a',
      target: '@project/a',
      effect: 'written',
      preview: { kind: 'diff', text: 'D' },
    } as const;
    const approvalIn = (facts: readonly RunFact[]) => {
      const call = foldRun('r1', toLog('r1', facts)).timeline.find(({ kind }) => kind === 'tool');
      return call?.kind === 'tool' ? call.approval : undefined;
    };
    expect(approvalIn([replied('', 'c')])).toBeUndefined();
    expect(approvalIn([replied('', 'c'), asked])).toEqual({
      action,
      decision: undefined,
      note: undefined,
    });
    const { path, diff, ...event } = asked;
    expect([path, diff]).toEqual(['@project/a', 'D']);
    expect(approvalIn([replied('', 'c'), { ...event, action }])).toEqual(
      approvalIn([replied('', 'c'), asked]),
    );
    expect(approvalIn([replied('', 'c'), asked, said])).toEqual({
      action,
      decision: 'no',
      note: 'Not now.',
    });
  });

  it('[U132] tells what was chosen by its name, [U133] and who was left by theirs', () => {
    const chosen: RunFact = { ...typed('2', 'StartWorkflow'), item: 2, label: 'check-story' } as RunFact;
    const left: RunFact = { type: 'agent.dismissed', agentId: 'bob' };
    const { timeline } = viewOf(toLog(CONVERSATION, [bob, chosen, left])).own;
    expect(timeline).toMatchObject([
      { kind: 'agent' },
      { kind: 'command', input: '2', label: 'check-story' },
      { kind: 'dismissed', agentId: 'bob', name: 'Bob' },
    ]);
    const [stranger] = viewOf(toLog(CONVERSATION, [left])).own.timeline;
    expect(stranger).not.toHaveProperty('name');
  });
});

describe('a conversation that was opened again', () => {
  const callId = fc.constantFrom('call-1', 'call-2');
  const words = fc.string({ maxLength: 8 });
  const runFact: fc.Arbitrary<RunFact> = fc.oneof(
    words.map(said),
    words.map(told),
    fc.record({
      type: fc.constant('input.queued' as const),
      purpose: fc.constantFrom('data' as const, 'directive' as const),
      content: words,
      label: words,
    }),
    fc.tuple(words, fc.option(callId, { nil: undefined })).map(([text, id]) => replied(text, id)),
    callId.map((id): RunFact => ({ type: 'tool.started', callId: id, name: 'fs.read' })),
    fc.tuple(callId, words).map(([id, text]) => ended(id, text)),
    callId.map((id): RunFact => ({ type: 'question.asked', callId: id, questions: [] })),
    callId.map((id): RunFact => ({ type: 'question.answered', callId: id, answers: { a: 1 } })),
    callId.map(
      (id): RunFact => ({
        type: 'approval.requested',
        callId: id,
        tool: 'fs.write',
        path: '@project/a',
        diff: '',
      }),
    ),
    callId.map(
      (id): RunFact => ({
        type: 'approval.resolved',
        callId: id,
        tool: 'fs.write',
        path: '@project/a',
        decision: 'once',
      }),
    ),
    fc
      .constantFrom('Running' as const, 'WaitingUser' as const)
      .map((phase): RunFact => ({ type: 'phase.changed', phase })),
    words.map((message): RunFact => ({ type: 'warning', message })),
    words.map((message): RunFact => ({ type: 'error', code: 'DISK', message })),
    fc.constant<RunFact>({ type: 'consent.given' }),
  );
  const runId = fc.constantFrom(...RUNS);
  const threadFact: fc.Arbitrary<RunFact> = fc.oneof(
    { weight: 2, arbitrary: runFact },
    { weight: 2, arbitrary: fc.tuple(runId, fc.nat(8)).map(([id, afterSeq]) => entered(id, afterSeq)) },
    runId.map(left),
    fc.constant(bob),
    fc.constant<RunFact>({ type: 'agent.dismissed', agentId: 'bob' }),
    words.map((input) => typed(input, 'StartWorkflow')),
    fc.constant(menu),
    fc.constant<RunFact>({ type: 'choice.offered', reason: 'r', candidates: [] }),
    fc.constant<RunFact>({ type: 'info.shown', topic: 'help', details: {} }),
    fc.constant<RunFact>({ type: 'script.entered', path: '@pkg/a.md', inputs: [] }),
    fc.constant<RunFact>({ type: 'script.left', path: '@pkg/a.md' }),
  );
  const logs = fc
    .tuple(fc.array(threadFact, { maxLength: 14 }), ...RUNS.map(() => fc.array(runFact, { maxLength: 10 })))
    .map(([talk = [], ...runs]) => [
      toLog(CONVERSATION, talk),
      ...runs.map((facts, index) => toLog(RUNS[index] ?? '', facts)),
    ]);

  /** How it happened: each log in its order, between them any; some told twice, and words while they were streamed. */
  function toLive(parts: readonly RunEvent[][], picks: readonly number[]): RunEvent[] {
    const rest = parts.map((events) => [...events]);
    const live: RunEvent[] = [];
    for (let step = 0; rest.some((events) => events.length > 0); step++) {
      const open = rest.filter((events) => events.length > 0);
      const pick = picks[step % Math.max(picks.length, 1)] ?? 0;
      const event = open[pick % open.length]?.shift();
      if (!event) break;
      live.push(event);
      if (pick % 5 === 0) live.push(event);
      const earlier = live[pick % live.length];
      if (pick % 7 === 0 && earlier) live.push(earlier);
      if (pick % 3 === 0) live.push({ ...event, type: 'message.delta', turn: 1, text: 'Hel' } as RunEvent);
    }
    return live;
  }

  it('[V15] shows what it showed while it happened, in whatever order its logs are told', () => {
    fc.assert(
      fc.property(logs, fc.array(fc.nat(1_000), { minLength: 1, maxLength: 40 }), (parts, picks) => {
        const live = viewOf(toLive(parts, picks));
        for (const reloaded of [viewOf(parts.flat()), viewOf(parts.toReversed().flat())]) {
          expect(toWorkTimeline(reloaded)).toEqual(toWorkTimeline(live));
          expect(reloaded.state).toEqual(live.state);
          const [now, then] = [activeView(live), activeView(reloaded)];
          expect([then.runId, then.phase, then.pending, then.usage, then.queued]).toEqual([
            now.runId,
            now.phase,
            now.pending,
            now.usage,
            now.queued,
          ]);
        }
      }),
    );
  });

  it('[V15] shows of each run what the run itself shows', () => {
    fc.assert(
      fc.property(logs, (parts) => {
        const view = viewOf(parts.flat());
        for (const [index, id] of RUNS.entries()) {
          const events = parts[index + 1] ?? [];
          if (events.length > 0) expect(view.runs.get(id)).toEqual(foldRun(id, events));
        }
      }),
    );
  });
});
