import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { type NestedFlow, type NestedNode, nestedPackage } from '../testing/packages/nested-package.ts';
import { createDiskRunRig, type DiskRunRig } from '../testing/rigs/run-rig.ts';
import { readWorkflowState, type WorkflowState } from '../workflow/workflow-state.ts';

const end = { type: 'end' } as const;

/** Root: start → review (calls ./review) → done. Review: check → over. */
function reviewing(node: NestedNode = {}, flow: Partial<NestedFlow> = {}, root: Partial<NestedFlow> = {}) {
  return nestedPackage({
    '': {
      nodes: { start: {}, review: { calls: './review/workflow.md', ...node }, done: end },
      ...root,
    },
    review: { nodes: { check: {}, over: end }, ...flow },
  });
}

const childReplies = [finish('check', 'over', { verdict: 'good' }), finish('over'), 'Reviewed.'];

async function childOf(rig: DiskRunRig): Promise<{ id: string; state: WorkflowState; text: string }> {
  const id = rig.eventsOf('call.started').at(-1)?.childId ?? '';
  const address = { projectId: rig.record.projectId, workId: id, isRun: true } as const;
  const text = await readFile(rig.store.work(address).stateDocument, 'utf8');
  return { id, text, state: await stateOf(text) };
}

async function stateOf(text: string): Promise<WorkflowState> {
  const read = await readWorkflowState(text);
  if (!read.ok) throw new Error(read.error.message);
  return read.state;
}

describe('a node that calls a workflow', () => {
  it('[Q1] executes it as a separate run and continues automatically when it is complete', async () => {
    const model = createScriptedModel([
      finish('start', 'review'),
      ...childReplies,
      finish('done'),
      'All done.',
    ]);
    const rig = await createDiskRunRig({ package: reviewing({ more: 'returns: [verdict]\n' }), model });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(rig.bugs).toEqual([]);
    const root = await stateOf(await rig.stateText());
    expect(root.stepsCompleted).toEqual(['start', 'review', 'done']);
    expect(root.variables).toEqual({ review: { verdict: 'good' } });
    expect(root.callStack).toEqual([]);
    const child = await childOf(rig);
    expect(child.state.stepsCompleted).toEqual(['check', 'over']);
    const record = await rig.store.works.read({
      projectId: rig.record.projectId,
      workId: child.id,
      isRun: true,
    });
    expect(record).toMatchObject({
      parentId: rig.record.workId,
      call: { rootId: rig.record.workId, nodeId: 'review', depth: 1 },
      phase: 'Completed',
      workflowRef: 'review/workflow.md',
    });
  });

  it('[Q11] the call is in the call stack of the root while it is open, at every depth', async () => {
    const model = createScriptedModel(['Which one?']);
    const rig = await createDiskRunRig({
      package: nestedPackage({
        '': { nodes: { outer: { calls: './a/workflow.md' }, done: end } },
        a: { nodes: { inner: { calls: '../b/workflow.md' }, over: end } },
        b: { nodes: { ask: {}, over: end } },
      }),
      model,
    });
    const stop = await rig.engine.start();
    expect(stop).toMatchObject({
      phase: 'WaitingUser',
      reason: {
        code: 'reply',
        message: 'outer › inner: The model waits for your answer.',
        details: { path: [{ nodeId: 'outer' }, { nodeId: 'inner' }] },
      },
    });
    const [first, second] = rig.eventsOf('call.started');
    const root = await stateOf(await rig.stateText());
    expect(root.callStack).toEqual([
      { workflow: 'a/workflow.md', nodeId: 'outer', childId: first?.childId },
      { workflow: 'b/workflow.md', nodeId: 'inner', childId: second?.childId },
    ]);
    const directive = model.requests[0]?.messages.at(-1)?.content ?? '';
    expect(directive).toContain('- workflow: b/workflow.md');
    expect(directive).toContain('- depth: 2\n- calledFrom: outer > inner');
  });

  it('[Q11] the model cannot change the call stack', async () => {
    const model = createScriptedModel([
      call('fs_write', { path: '@state/workflow.md', content: '' }),
      (() => 'Stop.')(),
    ]);
    const rig = await createDiskRunRig({ package: reviewing(), model });
    const text = await rig.stateText();
    const changed = text.replace('---\n\n', 'callStack:\n  - workflow: x\n    nodeId: y\n---\n\n');
    await expect(rig.engine.editState(changed, '0')).rejects.toThrow('is not what you last read');
    const { createHash } = await import('node:crypto');
    const sha256 = createHash('sha256').update(text).digest('hex');
    await expect(rig.engine.editState(changed, sha256)).rejects.toThrow(
      '"callStack" is managed by the runtime',
    );
  });

  it('[Q1] artifacts of the called workflow are merged without duplicates, and its status is not shared', async () => {
    const write = (path: string) => call('fs_write', { path, content: 'x' });
    const model = createScriptedModel([
      write('artifacts/a.md'),
      finish('start', 'review'),
      write('artifacts/a.md'),
      write('artifacts/b.md'),
      finish('check', 'over'),
      finish('over', undefined, { workflowStatus: 'complete' }),
      'Reviewed.',
      'What next?',
    ]);
    const rig = await createDiskRunRig({ package: reviewing({ more: 'passContext: true\n' }), model });
    expect(await rig.engine.start()).toMatchObject({ phase: 'WaitingUser', reason: { code: 'reply' } });
    const root = await stateOf(await rig.stateText());
    expect(root.artifacts).toEqual(['artifacts/a.md', 'artifacts/b.md']);
    expect(root.variables.workflowStatus).toBeUndefined();
    expect(root.currentNodeId).toBe('done');
  });

  it('[Q1] with passContext it starts with copies of the data of its caller', async () => {
    const model = createScriptedModel([
      call('fs_write', { path: 'artifacts/a.md', content: 'x' }),
      finish('start', 'review', { topic: 'soup', tone: 'dry' }),
      finish('check', 'over', { topic: 'bread' }),
      finish('over'),
      'Reviewed.',
      'What next?',
    ]);
    const rig = await createDiskRunRig({
      package: reviewing(
        { more: 'passContext: true\n' },
        { more: 'variables:\n  topic: ""\n  kind: short\n' },
      ),
      model,
    });
    await rig.engine.start();
    expect(rig.bugs).toEqual([]);
    const child = await childOf(rig);
    expect(child.state.variables).toEqual({ topic: 'bread', kind: 'short', tone: 'dry' });
    expect(child.state.artifacts).toEqual(['artifacts/a.md']);
    expect((await stateOf(await rig.stateText())).variables).toEqual({ topic: 'soup', tone: 'dry' });
  });

  it('[Q1] without passContext it gets only the inputs of the node', async () => {
    const model = createScriptedModel([
      finish('start', 'review', { topic: 'soup', key: 'k', secret: 's' }),
      'Which?',
    ]);
    const rig = await createDiskRunRig({
      package: reviewing({ inputs: ['topic', 'docs/{key}.md', '@project/b.md'] }),
      model,
    });
    await rig.engine.start();
    const { state } = await childOf(rig);
    expect(state.variables).toEqual({ topic: 'soup' });
    expect(state.inputDocuments).toEqual(['@project/docs/k.md', '@project/b.md']);
  });

  it('[Q1] with several outgoing edges the model chooses, and gets the result', async () => {
    const model = createScriptedModel([
      finish('start', 'review'),
      ...childReplies,
      finish('review', 'done'),
      finish('done'),
      'Done.',
    ]);
    const rig = await createDiskRunRig({
      package: reviewing(
        { more: 'returns: [verdict]\n' },
        {},
        { edges: ['start review', 'review done accept', 'review start again'] },
      ),
      model,
    });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    const decision = model.requests[4]?.messages.at(-1)?.content ?? '';
    expect(decision).toMatch(/EARLIER_NODES\n- start: went to review/);
    expect(decision).toMatch(/STEP_FILE @pkg\/steps\/review\.md/);
    expect(decision).toMatch(
      /CALL_RESULT\n- workflow: review\n- outcome: completed\n- artifacts: none\n- returned: \{"verdict":"good"\}/,
    );
    const last = model.requests[5]?.messages.at(-1)?.content ?? '';
    expect(last).toMatch(
      /- review: called the workflow "review": completed; set review\.verdict.*went to done/,
    );
  });

  it('[Q1] a loop through a call starts a new run each time', async () => {
    const again = [finish('start', 'review'), ...childReplies];
    const model = createScriptedModel([
      ...again,
      finish('review', 'start'),
      ...again,
      finish('review', 'done'),
      finish('done'),
      'Done.',
    ]);
    const rig = await createDiskRunRig({
      package: reviewing({}, {}, { edges: ['start review', 'review done accept', 'review start again'] }),
      model,
    });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    const children = rig.eventsOf('call.started').map(({ childId }) => childId);
    expect(new Set(children).size).toBe(2);
    expect(rig.eventsOf('call.ended').map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  });

  it('[Q8] missing outputs of the called workflow are left to the model', async () => {
    const model = createScriptedModel([
      finish('start', 'review'),
      ...childReplies,
      call('fs_write', { path: 'artifacts/out.md', content: 'x' }),
      finish('review', 'done'),
      finish('done'),
      'Done.',
    ]);
    const rig = await createDiskRunRig({ package: reviewing({ outputs: ['artifacts/out.md'] }), model });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    const types = rig.events.flatMap((event) => {
      if (event.type === 'call.ended' || event.type === 'artifact.written') return [event.type];
      return event.type === 'state.changed' && event.runId === rig.record.workId && event.from !== event.to
        ? [`${event.from} → ${event.to}`]
        : [];
    });
    // It stays at the node until its model has written the output.
    expect(types).toEqual(['start → review', 'call.ended', 'artifact.written', 'review → done']);
  });

  it('[Q1] a call without outgoing edges completes the run', async () => {
    const model = createScriptedModel([finish('start', 'review'), ...childReplies]);
    const rig = await createDiskRunRig({
      package: reviewing({}, {}, { nodes: { start: {}, review: { calls: './review/workflow.md' } } }),
      model,
    });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect((await stateOf(await rig.stateText())).callStack).toEqual([]);
  });

  it('[Q1] the agent of a called node is used, or else the agent of the call', async () => {
    const files = reviewing(
      { agentId: 'bob' },
      { nodes: { check: {}, over: { ...end, agentId: 'analyst' } } },
    );
    files['agents.json'] = (files['agents.json'] ?? '').replace(
      /"agents": \[/,
      '"agents": [{"id":"bob","metadata":{"name":"Bob","title":"t","icon":"b"},"persona":{"role":"r","identity":"i","communication_style":"c","principles":"p"}},',
    );
    const model = createScriptedModel([finish('start', 'review'), finish('check', 'over'), 'Hm.']);
    const rig = await createDiskRunRig({ package: files, model, agent: 'analyst' });
    await rig.engine.start();
    expect(rig.eventsOf('turn.started').map(({ agentId }) => agentId)).toEqual(['analyst', 'bob', 'analyst']);
  });

  it('[Q11] a running workflow is not called again, even if the package was changed', async () => {
    const rig = await createDiskRunRig({
      package: reviewing(),
      model: createScriptedModel([finish('start', 'review')]),
    });
    const { packageHash } = rig.record;
    const compiled = rig.store.compiledPackage(packageHash);
    await rig.close();
    const original = await readFile(compiled, 'utf8');
    await writeFile(
      compiled,
      original.replace('"subworkflow":"review/workflow.md"', '"subworkflow":"workflow.md"'),
    );
    const again = await rig.reopen();
    expect(await again.engine.resume()).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'E_CALL_CYCLE' },
    });
    expect(again.eventsOf('call.started')).toEqual([]);
    expect((await stateOf(await again.stateText())).callStack).toEqual([]);
    expect(again.bugs).toEqual([]);
  });

  it('[Q11] a call that is too deep is rejected', async () => {
    const chain = Array.from({ length: 7 }, (_, at) => [
      `f${at + 1}`,
      {
        nodes: { call: { calls: at === 6 ? '../leaf/workflow.md' : `../f${at + 2}/workflow.md` }, over: end },
      },
    ]);
    const files = nestedPackage(
      {
        '': { nodes: { call: { calls: 'f1/workflow.md' }, over: end } },
        ...(Object.fromEntries(chain) as Record<string, NestedFlow>),
        leaf: { nodes: { ask: {}, over: end } },
        deep: { nodes: { call: { calls: '../leaf/workflow.md' }, over: end } },
      },
      { deep: 'deep' },
    );
    const rig = await createDiskRunRig({ package: files, model: createScriptedModel([]) });
    const compiled = rig.store.compiledPackage(rig.record.packageHash);
    const original = await readFile(compiled, 'utf8');
    // The workflow at the maximum depth now calls another one.
    const at = original.lastIndexOf('leaf/workflow.md","passContext"');
    await writeFile(
      compiled,
      `${original.slice(0, at)}deep${original.slice(at + 'leaf/workflow.md'.length)}`,
    );
    const again = await rig.reopen();
    const stop = await again.engine.resume();
    expect(stop.reason).toMatchObject({ code: 'E_CALL_DEPTH' });
    expect(stop.reason?.details?.path).toHaveLength(8);
    expect((await stateOf(await again.stateText())).callStack).toHaveLength(8);
  });
});
