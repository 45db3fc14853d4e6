import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modeOf } from '../conversation-state.ts';
import type { RunEvent, RunFact } from '../events.ts';
import { addToStory, foldStory } from './fold-story.ts';
import type { StoryItem } from './items.ts';
import { addPage, keepLoaded, toLastPage, toPage } from './pages.ts';
import { createStory } from './story.ts';
import {
  activeStory,
  addToWorkStory,
  calledStory,
  callPath,
  createWorkStory,
  toWorkItems,
  type WorkStory,
} from './work-story.ts';

const CONVERSATION = 'c';
const RUNS = ['r1', 'r2', 'r3'] as const;

/** The log of a run or a conversation. */
function toLog(runId: string, facts: readonly RunFact[]): RunEvent[] {
  return facts.map((fact, index) => {
    const ts = new Date(Date.UTC(2026, 0, 31, 9, 30, index)).toISOString();
    return { v: 1, seq: index + 1, ts, runId, ...fact } as RunEvent;
  });
}

function viewOf(events: Iterable<RunEvent>): WorkStory {
  const view = createWorkStory(CONVERSATION);
  for (const event of events) addToWorkStory(view, event);
  return view;
}

const input = (content: string): RunFact => ({ type: 'input.queued', content });
const sent = (content: string): RunFact => ({
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
  /** One line per entry. */
  const describeItem = (item: StoryItem): string => {
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
      case 'mark':
        return `${item.what}: ${item.name}`;
      default:
        return item.kind;
    }
  };

  it('[U91] shows input at the point where the model received it, each once and in order', () => {
    const log = toLog(CONVERSATION, [
      input('Tell me.'),
      { type: 'phase.changed', phase: 'Running' },
      sent('Tell me.'),
      input('In short!'),
      input('And in verse.'),
      replied('At length…', 'call-1'),
      ended('call-1', 'all of it'),
      sent('In short!'),
      sent('And in verse.'),
      replied('So be it.'),
      input('Thanks.'),
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

  it('[V34] shows the entries of a run where the run was entered, each time the later ones', () => {
    const own = toLog(CONVERSATION, [
      { type: 'conversation.created', kind: 'agent', model: { kind: 'rehearsal' } },
      bob,
      typed('', 'ShowMenu'),
      menu,
      typed('1', 'StartWorkflow'),
      entered('r1', 0),
      left('r1'),
      input('What is a story?'),
      sent('What is a story?'),
      replied('A short promise.'),
      waits,
      typed('resume', 'ResumeRun'),
      entered('r1', 6),
      left('r1'),
      input('Thanks.'),
    ]);
    const run = toLog('r1', [
      {
        type: 'input.queued',
        purpose: 'data',
        label: '@pkg/data/stories.csv',
        content: 'DATA_CONTEXT\n…\nEND_DATA_CONTEXT',
      },
      input('About boats.'),
      sent('About boats.'),
      replied('I read first.', 'call-1'),
      { type: 'tool.started', callId: 'call-1', name: 'fs.read' },
      waits,
      { type: 'run.resumed' },
      ended('call-1', 'the file'),
      { type: 'message.completed', role: 'user', purpose: 'anchor', content: 'RUN_DIRECTIVE' },
      replied('Done.'),
      waits,
    ]);
    const lines = toWorkItems(viewOf([...own, ...run])).map(
      ({ source, item }) => `${source} ${item.seq} ${describeItem(item)}`,
    );
    expect(lines).toEqual([
      'c 2 agent: Bob',
      'c 3 command:  → ShowMenu',
      'c 4 menu: create-story',
      'c 5 command: 1 → StartWorkflow',
      'c 6 run: The story of r1',
      'r1 1 data: @pkg/data/stories.csv',
      'r1 2 person: About boats.',
      'r1 4 reply: I read first.',
      'r1 4 tool: fs.read ok the file',
      'r1 6 phase',
      'c 7 runLeft: ',
      'c 8 person: What is a story?',
      'c 10 reply: A short promise.',
      'c 11 phase',
      'c 12 command: resume → ResumeRun',
      'c 13 run: The story of r1',
      'r1 10 reply: Done.',
      'r1 11 phase',
      'c 14 runLeft: ',
      'c 15 person: Thanks.',
    ]);
  });

  it('[V34] shows two runs, and no entries of a run that is not known yet', () => {
    const own = toLog(CONVERSATION, [entered('r1', 0), entered('r2', 0), entered('r1', 1), entered('r3', 0)]);
    const [one, other] = [toLog('r1', [input('a'), input('c')]), toLog('r2', [input('b')])];
    const items = toWorkItems(viewOf([...own, ...other, ...one]));
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

  it('[V34] is based on the active run, else on the thread', () => {
    const requested: RunFact = { type: 'question.asked', callId: 'q', questions: [] };
    const run = toLog('r1', [requested, waits]);
    const inRun = viewOf([...toLog(CONVERSATION, [bob, entered('r1', 0)]), ...run]);
    expect(activeStory(inRun)).toMatchObject({ runId: 'r1', pending: { callId: 'q' } });
    const after = viewOf([...toLog(CONVERSATION, [bob, entered('r1', 0), left('r1')]), ...run]);
    expect([activeStory(after).runId, activeStory(after).pending]).toEqual([CONVERSATION, undefined]);
    const inScript = viewOf(
      toLog(CONVERSATION, [bob, { type: 'script.entered', path: '@pkg/a.md', inputs: [] }]),
    );
    expect([modeOf(inScript.state), activeStory(inScript).runId]).toEqual(['run', CONVERSATION]);
  });

  it('[U16] shows with a call the approval it needs, and the decision', () => {
    const requested = {
      type: 'approval.requested',
      callId: 'c',
      tool: 'fs.write',
      path: '@project/a',
      diff: 'D',
    } as const;
    const resolved: RunFact = {
      type: 'approval.resolved',
      callId: 'c',
      tool: 'fs.write',
      path: '@project/a',
      decision: 'no',
      note: 'Not now.',
      by: 'Ben',
    };
    const action = {
      title: 'fs.write wants to change @project/a',
      target: '@project/a',
      effect: 'written',
      preview: { kind: 'diff', text: 'D' },
    } as const;
    const approvalIn = (facts: readonly RunFact[]) => {
      const call = foldStory('r1', toLog('r1', facts)).timeline.find(({ kind }) => kind === 'tool');
      return call?.kind === 'tool' ? call.approval : undefined;
    };
    expect(approvalIn([replied('', 'c')])).toBeUndefined();
    expect(approvalIn([replied('', 'c'), requested])).toEqual({
      action,
      decision: undefined,
      note: undefined,
    });
    const { path, diff, ...event } = requested;
    expect([path, diff]).toEqual(['@project/a', 'D']);
    expect(approvalIn([replied('', 'c'), { ...event, action }])).toEqual(
      approvalIn([replied('', 'c'), requested]),
    );
    expect(approvalIn([replied('', 'c'), requested, resolved])).toEqual({
      action,
      decision: 'no',
      note: 'Not now.',
      by: 'Ben',
    });
  });

  it('[U10] shows the chosen item by its name, and the agent that was left by its name', () => {
    const chosen: RunFact = { ...typed('2', 'StartWorkflow'), item: 2, label: 'check-story' } as RunFact;
    const left: RunFact = { type: 'agent.dismissed', agentId: 'bob' };
    const { timeline } = viewOf(toLog(CONVERSATION, [bob, chosen, left])).own;
    expect(timeline).toMatchObject([
      { kind: 'agent' },
      { kind: 'command', input: '2', label: 'check-story' },
      { kind: 'mark', what: 'agentLeft', name: 'Bob' },
    ]);
    const [stranger] = viewOf(toLog(CONVERSATION, [left])).own.timeline;
    expect(stranger).toHaveProperty('name', 'bob');
  });
});

describe('a conversation that was reopened', () => {
  const callId = fc.constantFrom('call-1', 'call-2');
  const anyText = fc.string({ maxLength: 8 });
  const runFact: fc.Arbitrary<RunFact> = fc.oneof(
    anyText.map(input),
    anyText.map(sent),
    fc.record({
      type: fc.constant('input.queued' as const),
      purpose: fc.constantFrom('data' as const, 'directive' as const),
      content: anyText,
      label: anyText,
    }),
    fc.tuple(anyText, fc.option(callId, { nil: undefined })).map(([text, id]) => replied(text, id)),
    anyText.map((text): RunFact => ({ type: 'message.partial', turn: 1, text })),
    callId.map((id): RunFact => ({ type: 'tool.started', callId: id, name: 'fs.read' })),
    fc.tuple(callId, anyText).map(([id, text]) => ended(id, text)),
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
    anyText.map((message): RunFact => ({ type: 'warning', message })),
    anyText.map((message): RunFact => ({ type: 'error', code: 'DISK', message })),
    fc.constant<RunFact>({ type: 'consent.given' }),
  );
  const runId = fc.constantFrom(...RUNS);
  const threadFact: fc.Arbitrary<RunFact> = fc.oneof(
    { weight: 2, arbitrary: runFact },
    { weight: 2, arbitrary: fc.tuple(runId, fc.nat(8)).map(([id, afterSeq]) => entered(id, afterSeq)) },
    runId.map(left),
    fc.constant(bob),
    fc.constant<RunFact>({ type: 'agent.dismissed', agentId: 'bob' }),
    anyText.map((input) => typed(input, 'StartWorkflow')),
    fc.constant(menu),
    fc.constant<RunFact>({ type: 'choice.offered', reason: 'r', candidates: [] }),
    fc.constant<RunFact>({ type: 'info.shown', topic: 'help', details: {} }),
    fc.constant<RunFact>({ type: 'script.entered', path: '@pkg/a.md', inputs: [] }),
    fc.constant<RunFact>({ type: 'script.left', path: '@pkg/a.md' }),
  );
  const logs = fc
    .tuple(fc.array(threadFact, { maxLength: 14 }), ...RUNS.map(() => fc.array(runFact, { maxLength: 10 })))
    .map(([thread = [], ...runs]) => [
      toLog(CONVERSATION, thread),
      ...runs.map((facts, index) => toLog(RUNS[index] ?? '', facts)),
    ]);

  /** An interleaving of the logs: each log in order, some events twice, with deltas while they were streamed. */
  function toLive(parts: readonly RunEvent[][], picks: readonly number[]): RunEvent[] {
    const remaining = parts.map((events) => [...events]);
    const live: RunEvent[] = [];
    for (let step = 0; remaining.some((events) => events.length > 0); step++) {
      const open = remaining.filter((events) => events.length > 0);
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

  it('[V34] shows the same as live, in whatever order its logs are read', () => {
    fc.assert(
      fc.property(logs, fc.array(fc.nat(1_000), { minLength: 1, maxLength: 40 }), (parts, picks) => {
        const live = viewOf(toLive(parts, picks));
        for (const reloaded of [viewOf(parts.flat()), viewOf(parts.toReversed().flat())]) {
          expect(toWorkItems(reloaded)).toEqual(toWorkItems(live));
          expect(reloaded.state).toEqual(live.state);
          const [now, then] = [activeStory(live), activeStory(reloaded)];
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

  it('[V34] has the same items when it is loaded in pages, at any point of its log', () => {
    // An approval looks for its call, which is always on the last page of a real log.
    const facts = fc.array(
      runFact.filter(({ type }) => !type.startsWith('approval')),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(facts, fc.nat(30), fc.integer({ min: 1, max: 8 }), (all, cut, limit) => {
        const log = toLog('r1', all);
        const whole = foldStory('r1', log);
        const first = toLastPage(foldStory('r1', log.slice(0, cut)), limit);
        const paged = { ...createStory('r1'), ...(JSON.parse(JSON.stringify(first)) as typeof first) };
        for (const event of log) addToStory(paged, event);
        while (paged.earlier) {
          const { before } = paged.earlier;
          addPage(paged, toPage(whole, before, limit), before);
        }
        expect(paged).toEqual(whole);
      }),
    );
  });

  it('[V34] has the same items in pages if something was said while a reply was cut off', () => {
    const partial: RunFact = { type: 'message.partial', turn: 1, text: 'Half a' };
    const stopped: RunFact = { type: 'phase.changed', phase: 'WaitingUser' };
    const whole = foldStory('r1', toLog('r1', [replied('1'), partial, input('2'), stopped, replied('3')]));
    for (let limit = 1; limit <= whole.timeline.length; limit++) {
      const paged = structuredClone(toLastPage(whole, limit));
      for (let { earlier } = paged; earlier; { earlier } = paged)
        addPage(paged, toPage(whole, earlier.before, limit), earlier.before);
      expect(paged.timeline).toEqual(whole.timeline);
    }
  });

  it('[U116] shows an error that cut a reply off once', () => {
    const code = 'LLM_BAD_RESPONSE';
    const message = 'The reply was cut off.';
    const { timeline } = foldStory(
      'r1',
      toLog('r1', [
        { type: 'message.partial', turn: 1, text: 'Half a' },
        { type: 'error', code, message },
        { type: 'phase.changed', phase: 'WaitingUser', reason: { code, message } },
      ]),
    );
    expect(timeline.filter(({ isMerged }) => !isMerged).map(({ kind }) => kind)).toEqual(['reply', 'phase']);
  });

  it('[V34] keeps loaded items when its end is sent again, unless something between them is missing', () => {
    const log = toLog(
      'r1',
      Array.from({ length: 20 }, (_, count) => replied(`${count}`)),
    );
    const whole = foldStory('r1', log);
    const last = toLastPage(whole, 3);
    expect(last).toMatchObject({ earlier: { before: 18, count: 17 } });
    expect(keepLoaded(foldStory('r1', log.slice(0, 18)), last)).toEqual(whole);
    expect(keepLoaded(foldStory('r1', log.slice(0, 12)), last)).toBe(last);
    const view: WorkStory = { ...viewOf([]), own: last };
    expect(toWorkItems(view).map(({ item }) => item.kind)).toEqual(['earlier', 'reply', 'reply', 'reply']);
  });

  it('[V34] shows each run as the run itself does', () => {
    fc.assert(
      fc.property(logs, (parts) => {
        const view = viewOf(parts.flat());
        for (const [index, id] of RUNS.entries()) {
          const events = parts[index + 1] ?? [];
          if (events.length > 0) expect(view.runs.get(id)).toEqual(foldStory(id, events));
        }
      }),
    );
  });
});

describe('a run that calls workflows', () => {
  const usage = { promptTokens: 5, completionTokens: 0, cachedTokens: 0 };
  const waiting: RunFact = {
    type: 'phase.changed',
    phase: 'WaitingUser',
    reason: { code: 'reply', message: '' },
  };
  const running: RunFact = { type: 'phase.changed', phase: 'Running' };
  const calls = (nodeId: string, childId: string): RunFact => ({
    type: 'call.started',
    nodeId,
    childId,
    workflow: { ref: `${childId}.md`, title: childId },
  });
  const ended = (nodeId: string, childId: string): RunFact => ({
    type: 'call.ended',
    nodeId,
    childId,
    outcome: 'completed',
    title: childId,
    artifacts: [],
    returned: {},
    usage,
    usageBefore: usage,
  });
  const root = [running, calls('outer', 'a'), waiting, running, ended('outer', 'a'), replied('root')];
  const a = [running, calls('inner', 'b'), waiting, running, ended('inner', 'b'), replied('a')];
  const b = [running, replied('b'), waiting];
  const viewAt = (count: { root: number; a: number }): WorkStory => {
    const view = createWorkStory('root');
    for (const event of [
      ...toLog('root', root.slice(0, count.root)),
      ...toLog('a', a.slice(0, count.a)),
      ...toLog('b', b),
    ])
      addToWorkStory(view, event);
    return view;
  };
  const shown = (view: WorkStory): string[] =>
    toWorkItems(view).map(({ source, item, depth }) => `${depth} ${source} ${item.kind}`);

  it('[Q44] shows the entries of called runs between the call and its return', () => {
    expect(shown(viewAt({ root: 6, a: 6 })).filter((line) => !line.endsWith('phase'))).toEqual([
      '0 root call',
      '1 a call',
      '2 b reply',
      '1 a mark',
      '1 a reply',
      '0 root mark',
      '0 root reply',
    ]);
  });

  it('[Q44] tells stops by the caller alone', () => {
    const phases = shown(viewAt({ root: 6, a: 6 })).filter((line) => line.endsWith('phase'));
    expect(new Set(phases)).toEqual(new Set(['0 root phase']));
  });

  it('[Q44] leads down to the run that is under way, and back up when it returned', () => {
    const deep = viewAt({ root: 3, a: 3 });
    expect(calledStory(deep).runId).toBe('b');
    expect(callPath(deep).map(({ nodeId }) => nodeId)).toEqual(['outer', 'inner']);
    expect(calledStory(viewAt({ root: 3, a: 6 })).runId).toBe('a');
    const back = viewAt({ root: 6, a: 6 });
    expect(calledStory(back).runId).toBe('root');
    expect(back.own.usage.promptTokens).toBe(5);
  });
});
