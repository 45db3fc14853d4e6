import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../base/sha256.ts';
import type { ChatRequest } from '../llm/wire.ts';
import { cases } from '../testing/kill-points.ts';
import {
  createScriptedModel,
  finish,
  finishArguments,
  type ScriptedCall,
} from '../testing/models/scripted-model.ts';
import { type FileTree, samplePackage, step, workflow } from '../testing/packages/sample-package.ts';
import { diskRigFor } from '../testing/rigs/branching-run.ts';
import { createDiskRunRig, type DiskRunRig } from '../testing/rigs/run-rig.ts';

const move = (from: string, to?: string): ScriptedCall => ({
  name: 'fs_apply_patch',
  arguments: finishArguments(from, to),
});
const ASK: ScriptedCall = {
  name: 'ui_ask_user',
  arguments: { questions: [{ id: 'go', prompt: 'Go on?', type: 'confirm' }] },
};

const wholeDocument = (rig: DiskRunRig, from: string, to: string): ScriptedCall => {
  const text = readFileSync(rig.paths.stateDocument, 'utf8');
  const content = text
    .replace(/^currentNodeId:.*$/m, `currentNodeId: ${to}`)
    .replace(/^stepsCompleted:.*$/m, `stepsCompleted: [step-01, ${from}]`);
  return { name: 'fs_write', arguments: { path: '@state/workflow.md', content } };
};

const codesOf = (rig: DiskRunRig): (string | undefined)[] =>
  rig.eventsOf('tool.ended').map(({ code }) => code);
const completedIn = (text: string): string[] =>
  [...(/^stepsCompleted:(.*(?:\n {2}- .*)*)/m.exec(text)?.[1] ?? '').matchAll(/[\w-]*\w/g)].map(([id]) => id);

describe('one reply makes one transition', () => {
  it('[S23] later state changes are rejected, file calls are executed, and the next anchor says so', async () => {
    const model = createScriptedModel([
      {
        calls: [
          move('step-01', 'decide-02'),
          { name: 'fs_write', arguments: { path: 'artifacts/a.md', content: 'a' } },
          move('decide-02', 'step-03'),
          move('step-03', 'end-99'),
        ],
      },
      'Where was I?',
    ]);
    const rig = await diskRigFor([], { model });
    await rig.engine.start();
    expect(codesOf(rig)).toEqual([undefined, undefined, 'E_NODE_CHANGED', 'E_NODE_CHANGED']);
    expect(
      rig
        .eventsOf('tool.ended')
        .map(({ outcome }) => outcome)
        .slice(2),
    ).toEqual(['refused', 'refused']);
    expect(rig.eventsOf('artifact.written')).toMatchObject([
      { path: '@project/artifacts/a.md', nodeId: 'step-01' },
    ]);
    expect(await rig.stateText()).toMatch(/currentNodeId: decide-02/);
    const anchor = String(model.requests[1]?.messages.at(-1)?.content);
    expect(anchor).toContain('- currentNodeId: decide-02');
    expect(anchor).toContain('which was rejected: fs.apply_patch, fs.apply_patch.');
  });

  it('[S23] applies to the whole document, to an old hash, and to changes without a transition', async () => {
    const rig: DiskRunRig = await diskRigFor([], {
      model: createScriptedModel((_, index) =>
        index === 0
          ? {
              calls: [
                move('step-01', 'decide-02'),
                wholeDocument(rig, 'decide-02', 'step-03'),
                {
                  name: 'fs_apply_patch',
                  arguments: { ...finishArguments('decide-02', 'step-03'), ifMatchSha256: '0'.repeat(64) },
                },
                { name: 'fs_apply_patch', arguments: finishArguments('decide-02') },
              ],
            }
          : 'Well.',
      ),
    });
    await rig.engine.start();
    expect(codesOf(rig)).toEqual([undefined, 'E_NODE_CHANGED', 'E_NODE_CHANGED', 'E_NODE_CHANGED']);
    expect(completedIn(await rig.stateText())).toEqual(['step-01']);
  });

  it('[S23] applies to runtime.*', async () => {
    const complete = (nodeId: string, next?: string): ScriptedCall => ({
      name: 'runtime_complete_node',
      arguments: { nodeId, ...(next === undefined ? {} : { next }) },
    });
    const rig = await diskRigFor(
      [
        {
          calls: [
            complete('step-01'),
            complete('decide-02', 'step-03'),
            complete('step-01'),
            { name: 'runtime_update_state', arguments: { patch: { variables: { set: { a: 1 } } } } },
          ],
        },
        'Well.',
      ],
      { settings: { tools: { strictState: true } } },
    );
    await rig.engine.start();
    expect(codesOf(rig)).toEqual([undefined, 'E_NODE_CHANGED', 'E_NODE_CHANGED', 'E_NODE_CHANGED']);
  });

  it('[S23] applies to the rest of a reply that waited for a person, in another process', async () => {
    const model = createScriptedModel([
      { calls: [move('step-01', 'decide-02'), ASK, move('decide-02', 'step-03')] },
      'Well.',
    ]);
    const first = await diskRigFor([], { model });
    await first.engine.start();
    const second = await first.reopen();
    await second.engine.answer({ go: true });
    expect(codesOf(second)).toEqual([undefined, 'E_NODE_CHANGED']);
    expect(String(model.requests[1]?.messages.at(-1)?.content)).toContain(
      'which was rejected: fs.apply_patch.',
    );
  });

  it('[S23] a reply that was made at the new node may transition', async () => {
    const rig = await diskRigFor([
      { calls: [move('step-01', 'decide-02'), move('decide-02', 'step-03')] },
      finish('decide-02', 'step-03'),
      finish('step-03', 'end-99'),
      finish('end-99'),
      'All done.',
    ]);
    expect(await rig.engine.start()).toMatchObject({ phase: 'Completed' });
  });

  it("[S23] a person's edit of the state does not count as a transition of a reply", async () => {
    const rig = await diskRigFor(['Hello.']);
    await rig.engine.start();
    const edit = async (to: string): Promise<void> => {
      const text = await rig.stateText();
      const moved = text.replace(/^currentNodeId:.*$/m, `currentNodeId: ${to}`);
      await rig.engine.editState(moved, sha256Of(Buffer.from(text)));
    };
    await edit('decide-02');
    await edit('step-03');
    expect(completedIn(await rig.stateText())).toEqual(['step-01', 'decide-02']);
  });
});

interface Graph {
  readonly ids: readonly string[];
  readonly edges: readonly (readonly [number, number])[];
}

/** Every node is reachable from the previous one; additional edges are random. */
const graphs = fc
  .integer({ min: 2, max: 6 })
  .chain((count) =>
    fc.record({
      ids: fc.constant(Array.from({ length: count }, (_, index) => `n-${index}`)),
      edges: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 8 }),
    }),
  )
  .map(({ ids, edges }): Graph => {
    const chain = ids.slice(1).map((_, index) => [index, index + 1] as const);
    const all = [...chain, ...edges.filter(([from, to]) => from !== to)];
    return { ids, edges: [...new Map(all.map((edge) => [edge.join(), edge])).values()] };
  });

function toPackage({ ids, edges }: Graph): FileTree {
  return samplePackage(
    ({ graph }) => {
      graph.entryNodeId = ids[0] ?? '';
      graph.nodes = ids.map((id) => ({ id, type: 'step', file: `steps/${id}.md` }));
      graph.edges = edges.map(([from, to]) => ({ from: ids[from], to: ids[to], label: `to ${to}` }));
    },
    {
      'workflow.md': workflow('variables: {}\ndecisionLog: []\nartifacts: []\n'),
      'steps/step-01.md': undefined,
      'steps/end-99.md': undefined,
      ...Object.fromEntries(ids.map((id) => [`steps/${id}.md`, step(id)])),
    },
  );
}

type WildCall =
  | {
      readonly kind: 'patch';
      readonly ticks: readonly number[];
      readonly to: number | undefined;
      readonly isDone: boolean;
    }
  | { readonly kind: 'runtime'; readonly node: number; readonly next: number | undefined }
  | { readonly kind: 'document'; readonly ticks: readonly number[]; readonly to: number }
  /** A model that runs ahead: follows an edge from the node it believes to be at. */
  | { readonly kind: 'go'; readonly edge: number }
  | { readonly kind: 'write' | 'ask' };

const nodes = fc.nat(5);
const wildCalls: fc.Arbitrary<WildCall> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('patch' as const),
      ticks: fc.array(nodes, { maxLength: 2 }),
      to: fc.option(nodes, { nil: undefined }),
      isDone: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('document' as const),
      ticks: fc.array(nodes, { maxLength: 3 }),
      to: nodes,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('runtime' as const),
      node: nodes,
      next: fc.option(nodes, { nil: undefined }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('go' as const), edge: fc.nat(3) }) },
  fc.record({ kind: fc.constantFrom('write' as const, 'ask' as const) }),
);

/** The calls of one reply. */
function toCalls(wild: readonly WildCall[], graph: Graph, stateText: string): ScriptedCall[] {
  const { ids, edges } = graph;
  const idOf = (index: number): string => ids[index % ids.length] ?? '';
  const patch = (update: Record<string, unknown>): ScriptedCall => ({
    name: 'fs_apply_patch',
    arguments: { path: '@state/workflow.md', patches: [{ operation: 'updateFrontmatter', update }] },
  });
  let believed = Math.max(0, ids.indexOf(/^currentNodeId: *"?([\w-]*)/m.exec(stateText)?.[1] ?? ''));
  const toCall = (one: WildCall): ScriptedCall => {
    switch (one.kind) {
      case 'go': {
        const ways = edges.filter(([from]) => from === believed);
        const from = idOf(believed);
        const to = ways[one.edge % ways.length]?.[1];
        if (to === undefined) return patch({ stepsCompleted: { append: [from] } });
        believed = to;
        return patch({ stepsCompleted: { append: [from] }, currentNodeId: { set: idOf(to) } });
      }
      case 'patch':
        return patch({
          stepsCompleted: { append: one.ticks.map(idOf) },
          ...(one.to === undefined ? {} : { currentNodeId: { set: idOf(one.to) } }),
          ...(one.isDone ? { variables: { set: { workflowStatus: 'complete' } } } : {}),
        });
      case 'document': {
        const done = [...new Set([...completedIn(stateText), ...one.ticks.map(idOf)])];
        const content = stateText
          .replace(/^currentNodeId:.*$/m, `currentNodeId: ${idOf(one.to)}`)
          .replace(/^stepsCompleted:.*(\n {2}- .*)*$/m, `stepsCompleted: [${done.join(', ')}]`);
        return { name: 'fs_write', arguments: { path: '@state/workflow.md', content } };
      }
      case 'runtime': {
        const next = one.next === undefined ? {} : { next: idOf(one.next) };
        return { name: 'runtime_complete_node', arguments: { nodeId: idOf(one.node), ...next } };
      }
      case 'write':
        return { name: 'fs_write', arguments: { path: 'artifacts/a.md', content: stateText } };
      case 'ask':
        return ASK;
    }
  };
  return wild.map(toCall);
}

const briefsIn = ({ messages }: ChatRequest): string[] =>
  messages.flatMap(({ content }) =>
    [...String(content).matchAll(/^NODE_BRIEF\n- currentNodeId: (.*)$/gm)].map(([, id = '']) => id),
  );

it('[S24] for any calls and interruptions, no step is completed before its brief was sent', async () => {
  await fc.assert(
    fc.asyncProperty(
      graphs,
      fc.array(fc.array(wildCalls, { maxLength: 8 }), { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (graph, replies, isStrict) => {
        const sent = new Set<string>();
        const textOf = (): string => readFileSync(rig.paths.stateDocument, 'utf8');
        const check = (): void => expect(completedIn(textOf()).filter((id) => !sent.has(id))).toEqual([]);
        const model = createScriptedModel((request, index) => {
          check();
          for (const id of briefsIn(request)) sent.add(id);
          const calls = toCalls(replies[index] ?? [], graph, textOf());
          return calls.length === 0 ? 'That is all.' : { calls };
        });
        let rig: DiskRunRig = await createDiskRunRig({
          package: toPackage(graph),
          model,
          settings: { tools: { strictState: isStrict, approval: 'autopilot' } },
        });
        await rig.engine.start();
        for (let tries = 0; tries < 8; tries++) {
          const { pending } = rig.engine.memory;
          rig = await rig.reopen();
          await (pending ? rig.engine.answer({ go: true }) : rig.engine.say('Go on.'));
        }
        check();
        expect(rig.bugs).toEqual([]);
        await rig.close();
      },
    ),
    cases(12),
  );
});
