import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRehearsal } from '../rehearse/models/rehearsal.ts';
import { loadInstalled, resolveWorkflow } from '../session/load-workflow.ts';
import { openRun } from '../session/open-run.ts';
import { type DiskStore, openDiskStore } from '../store/disk/open-store.ts';
import { listRuns } from '../store/find-works.ts';
import { type RunAddress, toAddress } from '../store/work-address.ts';
import { testContext } from '../testing/inspect.ts';
import { cases } from '../testing/kill-points.ts';
import { type NestedFlow, type NestedNode, nestedPackage } from '../testing/packages/nested-package.ts';
import { createDiskRunRig, type DiskRunRig } from '../testing/rigs/run-rig.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { effectiveNode, isComplete } from '../workflow/transition.ts';
import { readWorkflowState, type WorkflowState } from '../workflow/workflow-state.ts';

/** A step, or a call of a workflow with these nodes; with `hasChoice` an alternative edge skips the call. */
interface Tree {
  readonly nodes: readonly ('step' | { readonly called: Tree; readonly hasChoice: boolean })[];
}

const treeOf = (depth: number): fc.Arbitrary<Tree> =>
  fc.record({
    nodes: fc.array(
      depth === 0
        ? fc.constant('step' as const)
        : fc.oneof(
            fc.constant('step' as const),
            fc.record({ called: treeOf(depth - 1), hasChoice: fc.boolean() }),
          ),
      { minLength: 1, maxLength: 2 },
    ),
  });

function toFlows(tree: Tree, folder = ''): Record<string, NestedFlow> {
  const flows: Record<string, NestedFlow> = {};
  const nodes: Record<string, NestedNode> = {};
  const edges: string[] = [];
  tree.nodes.forEach((node, at) => {
    const next = at + 1 < tree.nodes.length ? `n${at + 1}` : 'over';
    edges.push(`n${at} ${next}`);
    if (node === 'step') {
      nodes[`n${at}`] = {};
      return;
    }
    const name = `${folder}f${at}`;
    nodes[`n${at}`] = { calls: `${name}/workflow.md`, more: 'passContext: true\n' };
    if (node.hasChoice && next !== 'over') edges.push(`n${at} over past`);
    Object.assign(flows, toFlows(node.called, name));
  });
  flows[folder] = { nodes: { ...nodes, over: { type: 'end' } }, edges };
  return flows;
}

async function stateOf(store: DiskStore, address: RunAddress): Promise<WorkflowState> {
  const read = await readWorkflowState((await store.works.openState(address).read()).text);
  if (!read.ok) throw new Error(read.error.message);
  return read.state;
}

/** Final documents of all runs, by the nodes they were called from. */
async function finalStates(store: DiskStore): Promise<unknown[]> {
  const runs = await listRuns(store);
  const found = await Promise.all(
    runs.map(async (run) => {
      const { stepsCompleted, currentNodeId, callStack, workflowRef } = await stateOf(store, run);
      return { workflowRef, stepsCompleted, currentNodeId, callStack, phase: run.record?.phase };
    }),
  );
  return found.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

async function expectAgreement(store: DiskStore, root: RunAddress): Promise<void> {
  const { callStack } = await stateOf(store, root);
  let caller = root;
  for (const [at, { nodeId, childId = '' }] of callStack.entries()) {
    const record = await store.works.read(caller);
    const loaded = await loadInstalled(record.packageHash, store, testContext);
    const { graph } = resolveWorkflow(loaded, record.workflowRef);
    const state = await stateOf(store, caller);
    expect(effectiveNode(state, graph)).toBe(nodeId);
    expect(isComplete(state, graph)).toBe(false);
    const child: RunAddress = { ...root, workId: childId };
    if (!existsSync(store.work(child).folder)) {
      expect(at).toBe(callStack.length - 1);
      return;
    }
    expect(await store.works.read(child)).toMatchObject({
      parentId: caller.workId,
      call: { nodeId, depth: at + 1 },
    });
    caller = child;
  }
}

async function resumeCopy(rig: DiskRunRig, root: string): Promise<unknown[]> {
  const store = openDiskStore(root);
  const address = toAddress(rig.record);
  const run = await openRun(address, {
    store,
    context: testContext,
    now: () => new Date('2026-01-31T10:00:00.000Z'),
    createAdapter: async () => createRehearsal(),
    onBug: (_, error) => {
      throw error;
    },
  });
  try {
    await expectAgreement(store, address);
    expect(await run.engine.resume()).toEqual({ phase: 'Completed' });
    await expectAgreement(store, address);
  } finally {
    await run.close();
  }
  return finalStates(store);
}

describe('trees of calls', () => {
  it('[L31] documents agree with the call stack wherever a run is interrupted, and it has the same result', async () => {
    await fc.assert(
      fc.asyncProperty(
        treeOf(2),
        fc.array(fc.nat(80), { minLength: 2, maxLength: 4 }),
        async (tree, cuts) => {
          const rig = await createDiskRunRig({
            package: nestedPackage(toFlows(tree)),
            model: createRehearsal(),
          });
          const copies: string[] = [];
          const folder = await tempFolder();
          const wanted = new Set(cuts);
          let seen = 0;
          rig.engine.subscribe((event) => {
            if (event.type === 'message.delta' || !wanted.has(seen++)) return;
            // Like after a kill.
            const copy = join(folder, String(seen));
            cpSync(rig.store.root, copy, { recursive: true });
            copies.push(copy);
          });
          expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
          const whole = await finalStates(rig.store);
          await rig.close();
          for (const copy of copies) expect(await resumeCopy(rig, copy)).toEqual(whole);
        },
      ),
      cases(4),
    );
  }, 300_000);

  it('[L31] a store that is copied during a call resumes in the copy', async () => {
    const rig = await createDiskRunRig({
      package: nestedPackage({
        '': { nodes: { call: { calls: './a/workflow.md' }, over: { type: 'end' } } },
        a: {
          nodes: { ask: { body: 'Ask the user which one. WAIT for the answer.' }, over: { type: 'end' } },
        },
      }),
      model: createRehearsal(),
    });
    const stop = await rig.engine.start();
    expect(stop.reason?.code).toBe('question');
    const copy = join(await tempFolder(), 'elsewhere');
    cpSync(rig.store.root, copy, { recursive: true });
    await rig.close();
    const store = openDiskStore(copy);
    const run = await openRun(toAddress(rig.record), {
      store,
      context: testContext,
      now: () => new Date('2026-01-31T10:00:00.000Z'),
      createAdapter: async () => createRehearsal(),
      onBug: () => undefined,
    });
    try {
      const { pending } = run.engine;
      const questions = pending?.kind === 'question' ? pending.questions : [];
      const answers = Object.fromEntries(questions.map(({ id }) => [id, 'this one']));
      expect(await run.engine.answer(answers)).toEqual({ phase: 'Completed' });
    } finally {
      await run.close();
    }
  });
});
