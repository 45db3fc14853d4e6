import fs from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, it } from 'vitest';
import { openRunLog } from '../store/disk/log/run-log.ts';
import { toAddress } from '../store/work-address.ts';
import { call, createScriptedModel, finish, finishArguments } from '../testing/models/scripted-model.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { createDiskRunRig, type DiskRunRig } from '../testing/rigs/run-rig.ts';

const NOW = (): Date => new Date('2026-01-31T09:30:00.000Z');

/** A run whose log ends during a tool round, as after a kill. */
async function interruptedRun(events: 'reply' | 'started'): Promise<DiskRunRig> {
  const rig = await createDiskRunRig({ package: branchingPackage(), model: createScriptedModel(['Hello.']) });
  await rig.engine.start();
  await rig.close();
  const log = await openRunLog({ file: rig.paths.log, runId: rig.record.workId, now: NOW });
  log.append({ type: 'phase.changed', phase: 'Running' });
  log.append({
    type: 'message.completed',
    turn: 2,
    role: 'user',
    purpose: 'input',
    nodeId: 'step-01',
    content: 'Go on.',
  });
  log.append({
    type: 'message.completed',
    turn: 2,
    role: 'assistant',
    purpose: 'reply',
    nodeId: 'step-01',
    content: '',
    toolCalls: [
      { id: 'a', name: 'fs.write', arguments: '{"path":"artifacts/a.md","content":"a"}' },
      { id: 'b', name: 'fs.apply_patch', arguments: JSON.stringify(finishArguments('step-01', 'decide-02')) },
    ],
  });
  if (events === 'started') {
    log.append({ type: 'tool.started', callId: 'a', name: 'fs.write', nodeId: 'step-01' });
  }
  await log.close();
  return rig;
}

describe('a killed run', () => {
  it('[L30] answers open calls, and tells the model which of them may have taken effect', async () => {
    const rig = await interruptedRun('started');
    const model = createScriptedModel(['I look again.']);
    const again = await rig.reopen(model);
    await again.engine.resume();
    const messages = model.requests[0]?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
    expect(messages[5]?.content).toMatch(/ENGINE_ABORTED.*look whether it took effect/);
    expect(messages[6]?.content).toMatch(/ENGINE_ABORTED.*before this call was made/);
    expect(messages[7]?.content).toMatch(/intent: resume/);
    expect(again.types().slice(0, 4)).toEqual([
      'run.resumed',
      'tool.ended',
      'tool.ended',
      'message.completed',
    ]);
  });

  it('[L30] continues from its state document if that is ahead of its log', async () => {
    const rig = await interruptedRun('started');
    const state = await readFile(rig.paths.stateDocument, 'utf8');
    await rig.writeState(
      state
        .replace('currentNodeId: step-01', 'currentNodeId: decide-02')
        .replace('stepsCompleted: []', 'stepsCompleted: [step-01]'),
    );
    const model = createScriptedModel([finish('decide-02', 'step-03'), 'Enough.']);
    const again = await rig.reopen(model);
    await again.engine.resume();
    expect(again.eventsOf('state.changed')[0]).toMatchObject({
      from: 'step-01',
      to: 'decide-02',
      stepsAdded: ['step-01'],
    });
    const [, user, ...others] = model.requests[0]?.messages ?? [];
    expect(user?.content).toMatch(
      /EARLIER_NODES\n- step-01: went to decide-02[\s\S]*NODE_BRIEF\n- currentNodeId: decide-02/,
    );
    expect(others).toEqual([]);
    expect(again.engine.memory.state.stepsCompleted).toEqual(['step-01', 'decide-02']);
  });

  it('[L30] continues even without its log', async () => {
    const model = createScriptedModel([finish('step-01', 'decide-02'), 'A word.']);
    const rig = await createDiskRunRig({ package: branchingPackage(), model });
    await rig.engine.start();
    await rig.close();
    const { unlink } = await import('node:fs/promises');
    await unlink(rig.paths.log);
    const later = createScriptedModel([
      finish('decide-02', 'step-03'),
      finish('step-03', 'end-99'),
      finish('end-99'),
      'Done.',
    ]);
    const again = await rig.reopen(later);
    expect(await again.engine.resume()).toEqual({ phase: 'Completed' });
    expect(again.engine.memory.state.stepsCompleted).toEqual(['step-01', 'decide-02', 'step-03', 'end-99']);
  });

  it('[L30] records manual changes of the state made while it was idle, including removals', async () => {
    const model = createScriptedModel([finish('step-01', 'decide-02', { mark: 'k' }), 'A word.', 'Another.']);
    const rig = await createDiskRunRig({ package: branchingPackage(), model });
    await rig.engine.start();
    const moved = await rig.stateText();
    await rig.writeState(
      moved
        .replace('currentNodeId: decide-02', 'currentNodeId: step-01')
        .replace(/stepsCompleted:\n {2}- step-01/, 'stepsCompleted: []')
        .replace(/variables:\n {2}mark: k/, 'variables: {}'),
    );
    await rig.engine.resume();
    expect(rig.eventsOf('state.changed').at(-1)).toMatchObject({ isWhole: true, to: 'step-01' });
    expect(rig.engine.memory.state).toMatchObject({
      currentNodeId: 'step-01',
      stepsCompleted: [],
      variables: {},
    });
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toContain('- currentNodeId: step-01');
  });

  it.each([
    ['a tool result', '"type":"tool.ended"', '"type":"tool.ennded"'],
    ['a list of calls', '"toolCalls"', '"toolCallz"'],
    ['a call id', '"callId"', '"callIx"'],
    ['the variables', '"variables"', '"variablez"'],
    ['the completed steps', '"stepsAdded"', '"stepsAddex"'],
  ])('[L30] continues with a log in which %s was changed', async (_, from, to) => {
    const model = createScriptedModel([
      finish('step-01', 'decide-02', { mark: 'k' }),
      call('fs_list', { path: '@project' }),
      'A word.',
    ]);
    const rig = await createDiskRunRig({ package: branchingPackage(), model });
    await rig.engine.start();
    await rig.close();
    const { log } = rig.paths;
    const text = await readFile(log, 'utf8');
    const position = text.lastIndexOf(from);
    expect(position).toBeGreaterThan(0);
    await writeFile(log, text.slice(0, position) + to + text.slice(position + from.length));
    const later = createScriptedModel([
      finish('decide-02', 'step-03'),
      finish('step-03', 'end-99'),
      finish('end-99'),
      'Done.',
    ]);
    const again = await rig.reopen(later);
    expect(await again.engine.resume()).toEqual({ phase: 'Completed' });
    expect(again.bugs).toEqual([]);
  });

  it('[L31] stops the round if the log cannot be written, and does not assume unwritten events', async () => {
    const model = createScriptedModel([
      finish('step-01', 'decide-02'),
      finish('decide-02', 'step-03'),
      'Hm.',
    ]);
    const rig = await createDiskRunRig({ package: branchingPackage(), model });
    let isFull = true;
    const { writeSync } = fs;
    fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
      if (isFull && String(args[1]).includes('"type":"state.changed"')) {
        isFull = false;
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      }
      return writeSync(...args);
    }) as typeof writeSync;
    syncBuiltinESMExports();
    try {
      expect(await rig.engine.start()).toMatchObject({ phase: 'WaitingUser', reason: { code: 'DISK' } });
    } finally {
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
    }
    expect(model.requests).toHaveLength(1);
    await rig.engine.resume();
    expect(rig.engine.memory.state.stepsCompleted).toEqual(['step-01', 'decide-02']);
  });

  it('[O6] can be open in one process at a time', async () => {
    const rig = await createDiskRunRig({
      package: branchingPackage(),
      model: createScriptedModel(['Hello.']),
    });
    const { openRun } = await import('../session/open-run.ts');
    const open = () =>
      openRun(toAddress(rig.record), {
        store: rig.store,
        context: { runtimeVersion: '0.1.0', knownServers: new Set() },
        now: NOW,
        createAdapter: () => Promise.resolve(createScriptedModel([])),
        onBug: () => undefined,
      });
    await expect(open()).rejects.toMatchObject({
      code: 'RUN_LOCKED',
      message: expect.stringContaining('working on this run') as string,
    });
    expect(await rig.engine.start()).toMatchObject({ phase: 'WaitingUser' });
    await rig.close();
    await (await open()).close();
  });
});
