import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { setApproval } from '../store/edit-work.ts';
import { findRoot } from '../store/find-works.ts';
import { type RunAddress, toAddress } from '../store/work-address.ts';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { nestedPackage } from '../testing/packages/nested-package.ts';
import { createDiskRunRig, type DiskRunRig } from '../testing/rigs/run-rig.ts';

const end = { type: 'end' } as const;

/** Root: start → outer (calls a) → done. a: inner (calls b) → over. b: work → over. */
const threeLevels = () =>
  nestedPackage({
    '': { nodes: { start: {}, outer: { calls: './a/workflow.md' }, done: end } },
    a: { nodes: { inner: { calls: '../b/workflow.md' }, over: end } },
    b: { nodes: { work: {}, over: end } },
  });

const ask = call('ui_ask_user', { questions: [{ id: 'size', prompt: 'How large?', type: 'text' }] });
const toTheEnd = [
  finish('work', 'over'),
  finish('over'),
  'b is done.',
  finish('over'),
  'a is done.',
  finish('done'),
  'All is done.',
];

function childAddresses(rig: DiskRunRig): RunAddress[] {
  return rig
    .eventsOf('call.started')
    .map(({ childId }) => ({ projectId: rig.record.projectId, workId: childId, isRun: true }));
}

describe('a person and a sub-workflow', () => {
  it('[L7] stopping at a question of the innermost run skips it, and stops all runs above without a turn', async () => {
    const model = createScriptedModel([finish('start', 'outer'), ask, ...toTheEnd]);
    const rig = await createDiskRunRig({ package: threeLevels(), model });
    await rig.engine.start();
    const { callId = '' } = rig.engine.pending ?? {};
    expect(await rig.engine.stopQuestion(callId)).toMatchObject({ reason: { code: 'stopped' } });
    expect([rig.engine.memory.reason?.code, model.requests.length]).toEqual(['stopped', 2]);
    expect(rig.engine.pending).toBeUndefined();
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
    expect(rig.bugs).toEqual([]);
  });

  it('[Q20] a question of the innermost run is answered through the root, also after reopening', async () => {
    const model = createScriptedModel([finish('start', 'outer'), ask]);
    const rig = await createDiskRunRig({ package: threeLevels(), model });
    expect(await rig.engine.start()).toMatchObject({
      reason: {
        code: 'question',
        message: 'outer › inner: The model asked you something.',
        details: { path: [{ nodeId: 'outer' }, { nodeId: 'inner' }] },
      },
    });
    expect(rig.engine.pending).toMatchObject({ kind: 'question', questions: [{ id: 'size' }] });
    expect(() => rig.engine.answer({})).toThrow(CrewError);
    const later = createScriptedModel(toTheEnd);
    const again = await rig.reopen(later);
    expect(again.engine.pending).toMatchObject({ kind: 'question' });
    expect(await again.engine.answer({ size: 'large' })).toEqual({ phase: 'Completed' });
    expect(later.requests[0]?.messages.at(-1)?.content).toContain('large');
    expect(again.bugs).toEqual([]);
  });

  it('[Q20] messages and approvals go to the innermost run', async () => {
    const write = call('fs_write', { path: 'notes.md', content: 'x' });
    const model = createScriptedModel([finish('start', 'outer'), 'How large?', write, ...toTheEnd]);
    const rig = await createDiskRunRig({
      package: threeLevels(),
      model,
      settings: { tools: { approval: 'ask' } },
    });
    await rig.engine.start();
    expect(await rig.engine.say('Large.')).toMatchObject({ reason: { code: 'approval' } });
    expect(model.requests[2]?.messages.at(-1)?.content).toBe('USER_INPUT\n- forNodeId: work\nLarge.');
    expect(() => rig.engine.say('Go on.')).toThrow('waits for an approval');
    expect(await rig.engine.approve({ decision: 'once' })).toEqual({ phase: 'Completed' });
    expect(existsSync(join(rig.project, 'notes.md'))).toBe(true);
  });

  it('[Q20] a queued message for the innermost run is withdrawn through the root', async () => {
    const model = createScriptedModel([finish('start', 'outer'), 'hang', ...toTheEnd]);
    const rig = await createDiskRunRig({ package: threeLevels(), model });
    const started = rig.engine.start();
    await expect.poll(() => model.requests.length).toBe(2);
    const said = rig.engine.say('Never mind.');
    const queued = rig.eventsOf('input.queued').at(-1);
    expect(queued?.runId).toBe(childAddresses(rig)[1]?.workId);
    rig.engine.withdraw(queued?.seq ?? 0);
    expect(() => rig.engine.withdraw(queued?.seq ?? 0)).toThrow('has this message already');
    await rig.engine.stop();
    await Promise.all([started, said]);
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
    expect(JSON.stringify(model.requests)).not.toContain('Never mind.');
  });

  it('[Q20] the approval preset of the root applies at every depth, also if it was changed after the call', async () => {
    const write = call('fs_write', { path: 'notes.md', content: 'x' });
    const model = createScriptedModel([finish('start', 'outer'), 'How large?', write, ...toTheEnd]);
    const rig = await createDiskRunRig({
      package: threeLevels(),
      model,
      settings: { tools: { approval: 'ask' } },
    });
    await rig.engine.start();
    await setApproval(rig.store.works, toAddress(rig.record), 'autopilot');
    const again = await rig.reopen();
    expect(await again.engine.say('Large.')).toEqual({ phase: 'Completed' });
    expect(existsSync(join(rig.project, 'notes.md'))).toBe(true);
  });

  it('[Q20] stopping the root stops every depth; resuming it continues at every depth', async () => {
    const model = createScriptedModel([finish('start', 'outer'), 'hang', ...toTheEnd]);
    const rig = await createDiskRunRig({ package: threeLevels(), model });
    const started = rig.engine.start();
    await expect.poll(() => model.requests.length).toBe(2);
    expect(await rig.engine.stop()).toMatchObject({ reason: { code: 'stopped' } });
    expect(await started).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
    for (const address of childAddresses(rig))
      expect(await rig.store.works.read(address)).toMatchObject({
        phase: 'WaitingUser',
        reason: { code: 'stopped' },
      });
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
    for (const address of childAddresses(rig))
      expect(await rig.store.works.read(address)).toMatchObject({ phase: 'Completed' });
  });

  it('[Q22] limits apply to the whole tree; resuming grants the same amount again at every depth', async () => {
    const usage = { promptTokens: 60, completionTokens: 0, cachedTokens: 0 };
    const next: Record<string, string> = { start: 'outer', work: 'over' };
    const model = createScriptedModel(({ messages }) => {
      const last = messages.at(-1);
      const nodeId = /- currentNodeId: (\S+)/.exec(String(last?.content))?.[1];
      return last?.role === 'tool' || nodeId === undefined
        ? { content: 'Done.', usage }
        : { ...finish(nodeId, next[nodeId]), usage };
    });
    const rig = await createDiskRunRig({
      package: threeLevels(),
      model,
      settings: { limits: { maxTokens: 100 } },
    });
    // One turn of the root and one of the innermost run together exceed the limit.
    let stop = await rig.engine.start();
    expect(rig.eventsOf('turn.started').map(({ nodeId }) => nodeId)).toEqual(['start', 'work']);
    expect(stop).toMatchObject({ reason: { code: 'ENGINE_BUDGET_EXCEEDED', details: { path: [{}, {}] } } });
    for (let resumes = 0; stop.phase !== 'Completed' && resumes < 10; resumes++) {
      const turns = model.requests.length;
      stop = await rig.engine.resume();
      expect(model.requests.length).toBeGreaterThan(turns);
    }
    expect(stop).toEqual({ phase: 'Completed' });
    expect(rig.engine.memory.usage.promptTokens).toBe(60 * model.requests.length);
  });

  it('[Q22] the limit of turns is for a node of the called run: a call is progress of its caller', async () => {
    const look = call('fs_list', { path: '@project' });
    const read = call('fs_read', { path: 'README.md' });
    const model = createScriptedModel([look, finish('start', 'outer'), look, read, look, read]);
    const rig = await createDiskRunRig({
      package: threeLevels(),
      model,
      settings: { limits: { maxTurns: 4 } },
    });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'ENGINE_MAX_TURNS_EXCEEDED' } });
    const nodes = rig.eventsOf('turn.started').map(({ nodeId }) => nodeId);
    expect(nodes).toEqual(['start', 'start', 'work', 'work', 'work', 'work']);
  });

  it('[Q20] a failed called run leaves the node open: it can be retried or skipped', async () => {
    const model = createScriptedModel([
      finish('start', 'outer'),
      'Hm.',
      'Hm again.',
      finish('over'),
      'a is done.',
      finish('done'),
      'All is done.',
    ]);
    const rig = await createDiskRunRig({ package: threeLevels(), model });
    await rig.engine.start();
    const [, inner] = childAddresses(rig);
    if (!inner) throw new Error('nothing was called');
    const { stateDocument } = rig.store.work(inner);
    const sound = await readFile(stateDocument, 'utf8');
    await writeFile(stateDocument, 'no frontmatter');
    expect(await rig.engine.resume()).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'STATE_DAMAGED', details: { isCallFailed: true, path: [{}, {}] } },
    });
    await writeFile(stateDocument, sound);
    expect(await rig.engine.resume()).toMatchObject({ phase: 'WaitingUser' });
    await expect(rig.engine.skipCall({ to: 'nowhere' })).rejects.toThrow(
      'Name the step that the run continues with',
    );
    expect(await rig.engine.skipCall({})).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('call.ended').map(({ outcome }) => outcome)).toEqual(['skipped', 'completed']);
  });

  it('[Q20] a rewind of the caller ends the call and undoes the changes of every depth in order', async () => {
    const write = (path: string, content: string) => call('fs_write', { path, content });
    const model = createScriptedModel([
      write('artifacts/plan.md', 'root'),
      finish('start', 'outer'),
      write('artifacts/plan.md', 'b'),
      write('artifacts/b.md', 'b'),
      'Hm.',
      'Again.',
    ]);
    const rig = await createDiskRunRig({ package: threeLevels(), model });
    await rig.engine.start();
    const { stop, files } = await rig.rewind({ nodeId: 'outer', undoesFiles: true });
    expect(stop).toMatchObject({ reason: { code: 'rewound' } });
    expect(files.map(({ path, outcome }) => [path, outcome])).toEqual([
      ['@project/artifacts/b.md', 'deleted'],
      ['@project/artifacts/plan.md', 'restored'],
    ]);
    expect(await readFile(join(rig.project, 'artifacts/plan.md'), 'utf8')).toBe('root');
    expect(await rig.stateText()).toContain('callStack: []');
    for (const address of childAddresses(rig)) expect(await rig.store.works.isLeased(address)).toBe(false);
    const before = childAddresses(rig);
    await rig.engine.resume();
    expect(childAddresses(rig).length).toBe(before.length + 2);
    await rig.engine.stop();
    await rig.rewind({ nodeId: 'start', undoesFiles: true });
    expect(existsSync(join(rig.project, 'artifacts/plan.md'))).toBe(false);
  });

  it('[Q20] a called run can be rewound on its own, and its caller stops with it', async () => {
    const model = createScriptedModel([finish('start', 'outer'), finish('work', 'over'), 'Hm.', ...toTheEnd]);
    const rig = await createDiskRunRig({ package: threeLevels(), model });
    await rig.engine.start();
    const innerId = childAddresses(rig)[1]?.workId ?? '';
    await rig.find(innerId)?.rewind({ nodeId: 'work', undoesFiles: false });
    await rig.engine.followCall();
    expect(rig.engine.memory.reason).toMatchObject({ code: 'rewound', details: { path: [{}, {}] } });
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
  });

  it('[Q20] a called run resolves to its root, and is deleted with it', async () => {
    const model = createScriptedModel([finish('start', 'outer'), 'Hm.']);
    const rig = await createDiskRunRig({ package: threeLevels(), model });
    await rig.engine.start();
    const children = childAddresses(rig);
    for (const address of children)
      expect(await findRoot(rig.store, address)).toMatchObject({ workId: rig.record.workId });
    await rig.close();
    await rig.store.works.remove({ projectId: rig.record.projectId, workId: rig.record.workId, isRun: true });
    for (const address of children) expect(existsSync(rig.store.work(address).folder)).toBe(false);
  });

  it('[Q20] clearing a project does not delete the called runs of a run in use, and deletes them with that run', async () => {
    const model = createScriptedModel([finish('start', 'outer'), ...toTheEnd.slice(0, 5), 'What else?']);
    const rig = await createDiskRunRig({ package: threeLevels(), model });
    await rig.engine.start();
    const { projectId } = rig.record;
    expect(await rig.store.clearProject(projectId)).toEqual({ conversations: 0, runs: 0, kept: 1 });
    await rig.close();
    expect(await rig.store.clearProject(projectId)).toMatchObject({ runs: 3 });
    for (const address of childAddresses(rig)) expect(existsSync(rig.store.work(address).folder)).toBe(false);
  });
});
