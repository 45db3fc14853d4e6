import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '@crewagent/protocol/events';
import { foldStory } from '@crewagent/protocol/story/fold-story';
import { describe, expect, it } from 'vitest';
import { requestBytes } from '../llm/serialise.ts';
import type { ChatRequest } from '../llm/wire.ts';
import { findProtocolIssue } from '../prompt/check-protocol.ts';
import { addToHistory } from '../prompt/history.ts';
import { call, createScriptedModel, type ScriptLine } from '../testing/models/scripted-model.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { createDiskRunRig, type RunRigOptions } from '../testing/rigs/run-rig.ts';

const EXCHANGES = 45;
const idea = (number: number): string => `Idea ${number}: something people could do here in the evening.`;
const reply = (number: number): string =>
  [
    'Good, that adds a new angle. Here is what I make of it:\n',
    ...[1, 2, 3, 4].map(
      (item) =>
        `${item}. **Direction ${number}.${item}** – ${'people come after work and walk along. '.repeat(4)}`,
    ),
    '\nWhich of these should we follow?',
  ].join('\n');

const textOf = ({ messages }: ChatRequest): string => messages.map(({ content }) => content).join('\n\n');

async function converse(more: Partial<RunRigOptions> = {}, script = plainReplies, exchanges = EXCHANGES) {
  const model = createScriptedModel(script, { contextTokens: 200_000 });
  const rig = await createDiskRunRig({ package: branchingPackage(), model, ...more });
  await rig.engine.start();
  for (let number = 1; number <= exchanges; number++) {
    await rig.engine.say(idea(number));
    expect(rig.engine.memory.reason?.code).toBe('reply');
  }
  return { rig, model, requests: model.requests };
}

const plainReplies = (_: ChatRequest, index: number): ScriptLine => reply(index);

describe('a long conversation in one node', () => {
  it('[P6] sends less than half of what it sent with an anchor in each message', async () => {
    const { rig, requests } = await converse();
    const anchor = rig.eventsOf('message.completed').find(({ purpose }) => purpose === 'anchor');
    const anchorBytes = String(anchor?.content).split('\n\nSTEP_FILE')[0]?.length ?? 0;
    const whole = requests.map((_, index) => {
      const said = Array.from(
        { length: index },
        (_unused, at) => idea(at + 1).length + reply(at).length + 130,
      );
      return (
        requestBytes(requests[0] ?? { messages: [], tools: [] }) + said.reduce((sum, size) => sum + size, 0)
      );
    });
    const before = whole.reduce((sum, size, index) => sum + size + index * anchorBytes, 0);
    const now = requests.reduce((sum, request) => sum + requestBytes(request), 0);
    expect(now / before).toBeLessThan(0.5);
  });

  it('[P6] keeps every word of the user, the step, and the last exchanges whole', async () => {
    const { rig, requests } = await converse();
    for (const [index, request] of requests.entries()) {
      const text = textOf(request);
      expect(findProtocolIssue(request)).toBeUndefined();
      expect(text.match(/^STEP_FILE @pkg/gm)).toHaveLength(1);
      for (let number = 1; number <= index; number++) expect(text).toContain(idea(number));
      for (let number = Math.max(1, index < 9 ? 1 : index - 3); number < index; number++)
        expect(text).toContain(reply(number));
    }
    expect(textOf(requests.at(-1) as ChatRequest)).toContain('4. Direction 7.4 | ');
    expect(rig.eventsOf('context.compacted').every(({ outlined }) => (outlined ?? 0) > 0)).toBe(true);
  });

  it('[P3] changes what was sent in few steps, each of which removes more than it sends anew', async () => {
    const { rig, requests } = await converse();
    const steps = rig.eventsOf('context.compacted');
    expect(steps.length).toBeGreaterThan(3);
    expect(steps.length).toBeLessThan(EXCHANGES / 3);
    const sizes = requests.map(requestBytes);
    const shrunk = sizes.filter((size, index) => size < (sizes[index - 1] ?? 0));
    expect(shrunk).toHaveLength(steps.length);
    // Routine: people see it in the inspector and the log, not between their messages.
    const { timeline } = foldStory(rig.record.workId, rig.events);
    expect(timeline.filter(({ kind }) => kind === 'notice')).toEqual([]);
  });

  it('[P3] sends the same after a restart', async () => {
    const { rig, model } = await converse({}, plainReplies, 30);
    const { messages } = rig.engine.memory.history;
    const again = await rig.reopen();
    expect(again.engine.memory.history.messages).toEqual(messages);
    expect(textOf({ messages, tools: [] })).toContain('EARLIER_IN_THIS_NODE');
    expect(model.requests).toHaveLength(31);
  });

  it('[P6] writes the full text to a file of the run before it is needed', async () => {
    let checked = 0;
    const model = createScriptedModel((request, index) => {
      const path = /full text is in @state\/(\S+\.md)\./.exec(textOf(request))?.[1];
      if (path !== undefined) {
        const full = readFileSync(join(rig.paths.state, path), 'utf8');
        expect(full).toContain(reply(1));
        checked++;
      }
      return reply(index);
    });
    const rig = await createDiskRunRig({ package: branchingPackage(), model });
    await rig.engine.start();
    for (let number = 1; number <= 20; number++) await rig.engine.say(idea(number));
    expect(checked).toBeGreaterThan(5);
  });

  it('[P6] writes the full text again if a process ended before it could, and drops it after a rewind', async () => {
    const { rig } = await converse({}, plainReplies, 20);
    const folder = join(rig.paths.state, 'earlier');
    const before = readFileSync(join(folder, 'step-01.md'), 'utf8');
    rmSync(folder, { recursive: true });
    const again = await rig.reopen();
    await again.engine.resume();
    const after = readFileSync(join(folder, 'step-01.md'), 'utf8');
    expect(after.startsWith(before.trimEnd())).toBe(true);
    await again.rewind({ nodeId: 'step-01', undoesFiles: false });
    expect(again.engine.memory.history.earlierTexts.size).toBe(0);
  });

  it('[P3] sends the same bytes if the process ends between an outline and its request', async () => {
    const { rig, model } = await converse({}, plainReplies, 20);
    const last = rig.eventsOf('context.compacted').at(-1);
    const turn = rig.eventsOf('turn.started').find(({ seq }) => seq > (last?.seq ?? 0));
    const log = readFileSync(rig.paths.log, 'utf8').split('\n');
    await rig.close();
    // As if the process had ended right after the event.
    writeFileSync(rig.paths.log, `${log.slice(0, last?.seq).join('\n')}\n`);
    const other = createScriptedModel(['Still here.']);
    const again = await rig.reopen(other);
    await again.engine.resume();
    const sent = textOf(model.requests[(turn?.turn ?? 1) - 1] as ChatRequest);
    // A resume sends the position again.
    expect(textOf(other.requests[0] as ChatRequest).startsWith(sent)).toBe(true);
  });

  it('[P6] sends a result again in full if the call that it refers to is gone', async () => {
    const notes = 'A line of the notes.\n'.repeat(100);
    const readsTwice = ({ messages }: ChatRequest, index: number): ScriptLine => {
      const last = messages.at(-1);
      const isDue = last?.role === 'user' && /Idea [12]:[^:]*$/.test(last.content);
      return isDue ? call('fs_read', { path: '@project/notes.md' }) : reply(index);
    };
    const { rig } = await converse({ project: { 'notes.md': notes } }, readsTwice, 2);
    const { history } = rig.engine.memory;
    const resultsOf = (): boolean[] =>
      history.messages.flatMap(({ role, content }) =>
        role === 'tool' ? [content?.includes('A line') ?? false] : [],
      );
    expect(resultsOf()).toEqual([true, false]);
    const [event] = rig.events;
    const compacted = {
      outcome: 'effective',
      groups: 0,
      outlined: 2,
      tokensBefore: 9,
      tokensAfter: 1,
    } as const;
    addToHistory(history, { ...event, type: 'context.compacted', ...compacted } as RunEvent, {
      scope: 'node',
      toWireName: (name) => name,
    });
    expect(resultsOf()).toEqual([true]);
  });

  it('[P6] sends everything whole with context.scope run', async () => {
    const { rig } = await converse({ settings: { context: { scope: 'run' } } }, plainReplies, 20);
    expect(rig.eventsOf('context.compacted')).toEqual([]);
  });
});
