import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { foldStory } from '@crewagent/protocol/story/fold-story';
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../llm/wire.ts';
import { readRunLog } from '../store/disk/log/run-log.ts';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { diskRigFor, TO_THE_END } from '../testing/rigs/branching-run.ts';
import type { DiskRunRig } from '../testing/rigs/run-rig.ts';

const write = (path: string, content: string) => call('fs_write', { path, content });
const back = (rig: DiskRunRig, nodeId: string, undoesFiles = false) => rig.rewind({ nodeId, undoesFiles });

/** The messages after the system message. */
function sent(messages: readonly ChatMessage[] | undefined): string {
  return (messages ?? [])
    .slice(1)
    .map(({ content }) => content ?? '')
    .join('\n');
}

describe('a rewind', () => {
  it('[S17] resets the run to a visited node, and written files stay', async () => {
    const model = createScriptedModel([
      finish('step-01', 'decide-02', { mark: 'k' }),
      finish('decide-02', 'step-03'),
      'What now?',
      finish('decide-02', 'step-03'),
      'Again.',
    ]);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    const { stop, files } = await back(rig, 'decide-02');
    expect(stop).toMatchObject({ phase: 'WaitingUser', reason: { code: 'rewound' } });
    expect(files).toEqual([]);
    expect(rig.eventsOf('state.changed').at(-1)).toMatchObject({
      from: 'step-03',
      to: 'decide-02',
      isRewind: true,
      diff: expect.stringContaining('+currentNodeId: decide-02') as string,
    });
    const text = await rig.stateText();
    expect(text).toMatch(/currentNodeId: decide-02/);
    expect(rig.engine.memory.state).toMatchObject({
      stepsCompleted: ['step-01', 'decide-02'],
      decisionLog: [{ from: 'decide-02', to: 'step-03' }],
    });
    await rig.engine.resume();
    // Visited again, the decision adds another entry.
    expect(rig.engine.memory.state.decisionLog).toHaveLength(2);
    expect(rig.engine.memory.state.currentNodeId).toBe('step-03');
    expect(rig.bugs).toEqual([]);
  });

  it('[S17] is rejected for a node that was not visited, and during a turn', async () => {
    const rig = await diskRigFor(['hang']);
    await expect(back(rig, 'step-03')).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    await expect(back(rig, 'nowhere')).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    await expect(back(rig, '__proto__')).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    const before = await rig.stateText();
    const going = rig.engine.start();
    await expect(back(rig, 'step-01')).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    await rig.engine.stop();
    await going;
    expect(await rig.stateText()).toBe(before);
    expect(rig.eventsOf('state.changed')).toEqual([]);
  });

  it('[S17] is available to people only: a model follows edges', async () => {
    const rig = await diskRigFor([
      finish('step-01', 'decide-02', { mark: 'k' }),
      finish('decide-02', 'step-03'),
      finish('step-03', 'step-01'),
      'Well.',
    ]);
    await rig.engine.start();
    expect(rig.eventsOf('transition.refused')).toHaveLength(1);
    expect(rig.engine.memory.state.currentNodeId).toBe('step-03');
  });

  it('[S17] from the end continues the run, and the end is repeated', async () => {
    const model = createScriptedModel([
      ...TO_THE_END,
      finish('step-03', 'end-99'),
      write('artifacts/k.md', 'better'),
      finish('end-99'),
      'Done again.',
    ]);
    const rig = await diskRigFor([], { model });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect((await back(rig, 'step-03')).stop.phase).toBe('WaitingUser');
    expect(rig.eventsOf('state.changed').at(-1)).toMatchObject({ stepsRemoved: ['end-99'] });
    const second = await rig.reopen();
    expect(second.engine.memory.state.stepsCompleted).toEqual(['step-01', 'decide-02', 'step-03']);
    expect(await second.engine.resume()).toEqual({ phase: 'Completed' });
    expect(model.requests).toHaveLength(10);
    expect(await readFile(join(rig.project, 'artifacts/k.md'), 'utf8')).toBe('better');
    expect(second.eventsOf('state.changed').filter(({ isWhole }) => isWhole)).toEqual([]);
  });

  it('[S17] announces the node from the start, with the wish of the person to repeat it', async () => {
    const model = createScriptedModel([
      write('artifacts/k.md', 'first try'),
      finish('step-01', 'decide-02', { key: 'k' }),
      'Which way?',
      'I see.',
    ]);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    await back(rig, 'step-01');
    const second = await rig.reopen();
    await second.engine.resume();
    const text = sent(model.requests[3]?.messages);
    expect(text).toMatch(/^EARLIER_NODES\n/);
    expect(text).toContain('the user rewound the run to step-01');
    expect(text).toContain('STEP_FILE @pkg/steps/step-01.md');
    expect(text).toMatch(/RUNTIME_NOTE\nThe user rewound the run to this node/);
    expect(text).not.toContain('first try');
    expect(text).not.toContain('Which way?');
    expect(model.requests[3]?.messages).toHaveLength(2);
  });

  it('[S17] to the start of the current node discards the messages there', async () => {
    const model = createScriptedModel(['A poor try.', 'Another.', 'A third.']);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    await back(rig, 'step-01');
    await back(rig, 'step-01');
    await rig.engine.say('Shorter, please.');
    const text = sent(model.requests[1]?.messages);
    expect(text).not.toContain('A poor try.');
    expect(text.match(/The user rewound the run to this node/g)).toHaveLength(1);
    expect(text).toContain('STEP_FILE @pkg/steps/step-01.md');
    expect(text.indexOf('RUNTIME_NOTE')).toBeLessThan(text.indexOf('Shorter, please.'));
    await rig.engine.say('And now?');
    expect(sent(model.requests[2]?.messages).match(/The user rewound the run to this node/g)).toHaveLength(1);
  });

  it('[S17] keeps all messages if the context is the whole run', async () => {
    const model = createScriptedModel(['A poor try.', 'Another.']);
    const rig = await diskRigFor([], { model, settings: { context: { scope: 'run' } } });
    await rig.engine.start();
    await back(rig, 'step-01');
    await rig.engine.resume();
    const text = sent(model.requests[1]?.messages);
    expect(text).toContain('A poor try.');
    expect(text).toMatch(/The user rewound the run to this node/);
  });

  it('[S17] ends calls that wait for a person', async () => {
    const ask = call('ui_ask_user', { questions: [{ id: 'name', prompt: 'Which name?', type: 'text' }] });
    const rig = await diskRigFor([ask, 'Without a name, then.']);
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'question' } });
    await back(rig, 'step-01');
    expect(rig.engine.memory.pending).toBeUndefined();
    expect(rig.eventsOf('tool.ended').at(-1)).toMatchObject({ code: 'ENGINE_ABORTED' });
    expect(() => rig.engine.answer({ name: 'Ada' })).toThrow(/has not asked/);
    expect(await rig.engine.resume()).toMatchObject({ reason: { code: 'reply' } });
  });

  it('[S17] undoes the changes since the last visit of the node if requested, and no earlier ones', async () => {
    const rig = await diskRigFor(
      [
        write('artifacts/k.md', 'of step 1'),
        finish('step-01', 'decide-02', { key: 'k' }),
        write('README.md', '# Changed\n'),
        {
          calls: [
            { name: 'fs_apply_patch', arguments: finish('decide-02', 'step-03').calls?.[0]?.arguments },
            { name: 'fs_write', arguments: { path: 'notes.md', content: 'after the move' } },
          ],
        },
        write('artifacts/k.md', 'of step 3'),
        write('mine.md', 'draft'),
        'Well?',
      ],
      { settings: { tools: { approval: 'autopilot' } } },
    );
    await rig.engine.start();
    await writeFile(join(rig.project, 'mine.md'), 'edited by a person');
    const first = await back(rig, 'step-03', true);
    expect(Object.fromEntries(first.files.map(({ path, outcome }) => [path, outcome]))).toEqual({
      '@project/artifacts/k.md': 'restored',
      '@project/notes.md': 'deleted',
      '@project/mine.md': 'conflict',
    });
    expect(await readFile(join(rig.project, 'mine.md'), 'utf8')).toBe('edited by a person');
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('# Changed\n');
    expect(rig.eventsOf('changes.undone').at(-1)).toMatchObject({ direction: 'undo', files: first.files });
    const second = await back(rig, 'step-01', true);
    expect(second.files).toContainEqual({ path: '@project/README.md', outcome: 'restored' });
    expect(second.files).toContainEqual({ path: '@project/artifacts/k.md', outcome: 'deleted' });
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('# Project\n');
  });

  it('[S17] counts as a visit: files kept by the first rewind are kept by the next', async () => {
    const rig = await diskRigFor([write('first.md', 'one'), 'Well?', write('second.md', 'two'), 'Better?'], {
      settings: { tools: { approval: 'autopilot' } },
    });
    await rig.engine.start();
    await back(rig, 'step-01');
    await rig.engine.resume();
    const { files } = await back(rig, 'step-01', true);
    expect(files).toEqual([{ path: '@project/second.md', outcome: 'deleted' }]);
    expect(await readFile(join(rig.project, 'first.md'), 'utf8')).toBe('one');
  });

  it('[S17] is shown as a rewind, and starts another visit of the node', async () => {
    const rig = await diskRigFor(['One.', 'Two.']);
    await rig.engine.start();
    await back(rig, 'step-01');
    await rig.engine.resume();
    const events: Parameters<typeof foldStory>[1] & unknown[] = [];
    await readRunLog(rig.paths.log, (event) => void events.push(event as never));
    const view = foldStory(rig.record.workId, events);
    expect(view.timeline).toContainEqual(
      expect.objectContaining({ kind: 'move', from: 'step-01', to: 'step-01', isRewind: true }),
    );
    expect(view.visits.map(({ nodeId, turns }) => [nodeId, turns])).toEqual([
      ['step-01', 1],
      ['step-01', 1],
    ]);
  });
});

describe('the history of the state document', () => {
  it('contains the diff of each change: by the model, by a person, and from outside', async () => {
    const rig = await diskRigFor([finish('step-01', 'decide-02', { mark: 'k' }), 'Well?', 'Oh.']);
    await rig.engine.start();
    const text = await rig.stateText();
    const { sha256 } = rig.eventsOf('state.changed').at(-1) ?? { sha256: '' };
    await rig.engine.editState(text.replace('mark: k', 'mark: mine'), sha256);
    await rig.writeState((await rig.stateText()).replace('mark: mine', 'mark: theirs'));
    await rig.engine.resume();
    const diffs = rig.eventsOf('state.changed').map(({ diff }) => diff);
    expect(diffs).toHaveLength(3);
    expect(diffs[0]).toMatch(/^\+currentNodeId: decide-02$/m);
    expect(diffs[1]).toMatch(/^-\s+mark: k$[\s\S]*^\+\s+mark: mine$/m);
    expect(diffs[2]).toMatch(/^-\s+mark: mine$[\s\S]*^\+\s+mark: theirs$/m);
  });

  it('is truncated for large changes', async () => {
    const long = Array.from({ length: 4_000 }, (_, index) => `line ${index}`).join('\n');
    const rig = await diskRigFor([finish('step-01', undefined, { key: long }), 'Well?']);
    await rig.engine.start();
    const [changed] = rig.eventsOf('state.changed');
    expect(changed?.diff?.length).toBeLessThan(8_300);
    expect(changed?.diff).toMatch(/\n… \S+ more lines \(\S+ bytes\), not shown\n$/);
  });

  it('is empty for logs without diffs', async () => {
    const rig = await diskRigFor([finish('step-01', 'decide-02', { mark: 'k' }), 'Well?', 'Yes.']);
    await rig.engine.start();
    const { log } = rig.paths;
    const found = await readFile(log, 'utf8');
    await rig.close();
    await writeFile(log, found.replace(/,"diff":"(?:[^"\\]|\\.)*"/g, ''));
    const second = await rig.reopen();
    expect(second.engine.memory.state.currentNodeId).toBe('decide-02');
    expect(await second.engine.resume()).toMatchObject({ reason: { code: 'reply' } });
  });
});
