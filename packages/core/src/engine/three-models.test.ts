/**
 * Three ways in which models execute the same workflow: one asks with `ui_ask_user`, one has its answers and follows the
 * rules, and one follows prose literally (it reads ahead, edits the state document, and transitions twice in a reply).
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LLMAdapter, ModelReply } from '../llm/llm-adapter.ts';
import { createReader, DILIGENT_READERS } from '../rehearse/models/reader.ts';
import { createRehearsal } from '../rehearse/models/rehearsal.ts';
import { playToEnd } from '../testing/rigs/play-as.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../examples');
const PERSON: Readonly<Record<string, unknown>> = {
  projectName: 'Larder',
  goal: 'Shared lists',
  existing: 'nothing',
  storyKey: '1-2-user-login',
  topic: 'Tides',
  audience: 'Sailors',
  guests: 'Six friends, one of them vegetarian',
};

type Call = ModelReply['toolCalls'][number];

/** Like the prose of real steps: load the next step, then record it in the frontmatter, twice to be sure. */
function toLiteralCalls(call: Call): Call[] {
  const { nodeId, next, variables, decision } = JSON.parse(call.arguments) as Record<string, never>;
  const update = {
    stepsCompleted: { append: [nodeId] },
    ...(variables ? { variables: { set: variables } } : {}),
    ...(decision ? { decisionLog: { append: [{ from: nodeId, to: next, ...(decision as object) }] } } : {}),
    ...(next ? { currentNodeId: { set: next } } : {}),
  };
  const patch = { path: '@state/workflow.md', patches: [{ operation: 'updateFrontmatter', update }] };
  const toCall = (suffix: string, name: string, args: object): Call => ({
    ...call,
    id: `${call.id}${suffix}`,
    name,
    arguments: JSON.stringify(args),
  });
  return [
    ...(next ? [toCall('r', 'fs_read', { path: `@pkg/steps/${next as string}.md` })] : []),
    toCall('a', 'fs_apply_patch', patch),
    toCall('b', 'fs_apply_patch', patch),
  ];
}

function literally(adapter: LLMAdapter): LLMAdapter {
  return {
    ...adapter,
    async chat(request, watch) {
      const outcome = await adapter.chat(request, watch);
      if (outcome.kind !== 'reply') return outcome;
      const toolCalls = outcome.reply.toolCalls.flatMap((call) =>
        call.name === 'runtime_complete_node' ? toLiteralCalls(call) : [call],
      );
      return { ...outcome, reply: { ...outcome.reply, toolCalls } };
    },
  };
}

/** Has the answers of the person already, so that nobody is asked where the step need not wait. */
function unasked(adapter: LLMAdapter): LLMAdapter {
  return {
    ...adapter,
    async chat(request, watch) {
      const facts = await request.facts?.();
      if (!facts?.node || facts.node.waits) return adapter.chat(request, watch);
      const asked = {
        id: 'asked',
        type: 'function',
        function: { name: 'ui_ask_user', arguments: '{}' },
      } as const;
      const messages = [
        ...request.messages,
        { role: 'assistant', content: null, tool_calls: [asked] },
        { role: 'tool', tool_call_id: 'asked', content: JSON.stringify({ ok: true, answers: PERSON }) },
      ] as const;
      const withAnswers = async () => ({ ...facts, groups: facts.groups + 1 });
      return adapter.chat({ ...request, messages, facts: withAnswers }, watch);
    },
  };
}

const MODELS: readonly (readonly [string, () => LLMAdapter])[] = [
  ['asks', () => createRehearsal({})],
  ['follows the rules', () => unasked(createRehearsal())],
  ['follows prose literally', () => literally(unasked(createRehearsal()))],
];

async function finish(example: string, workflow: string | undefined, model: LLMAdapter) {
  const rig = await createRunRig({
    package: join(EXAMPLES, example),
    model,
    ...(workflow === undefined ? {} : { workflow }),
  });
  let stop = await rig.engine.start();
  for (let round = 0; round < 10 && stop.reason?.code === 'question'; round++) {
    const { pending } = rig.engine.memory;
    const questions = pending?.kind === 'question' ? pending.questions : [];
    stop = await rig.engine.answer(Object.fromEntries(questions.map(({ id }) => [id, PERSON[id] ?? 'yes'])));
  }
  const { currentNodeId, stepsCompleted, variables, artifacts } = rig.engine.memory.state;
  return { phase: stop.phase, currentNodeId, stepsCompleted, variables, artifacts: [...artifacts].sort() };
}

describe.each([
  ['create-story-micro', undefined],
  ['create-story-micro-zh', undefined],
  ['hello-branch', undefined],
  ['hello-branch-zh', undefined],
  ['multi-workflows', 'hello-linear'],
  ['multi-workflows', 'decision-record'],
  ['supper-plan', undefined],
])('%s %s', (example, workflow) => {
  it('[P24] has the same result for every way in which a model works', async () => {
    const ends = [];
    for (const [, create] of MODELS) ends.push(await finish(example, workflow, create()));
    expect(ends[0]?.phase).toBe('Completed');
    expect(ends[1]).toEqual(ends[0]);
    expect(ends[2]).toEqual(ends[0]);
  });

  it('[P24] comes to the same end with models that know only the text of their requests', async () => {
    const ends = [];
    for (const kind of DILIGENT_READERS) {
      const rig = await createRunRig({
        package: join(EXAMPLES, example),
        model: createReader(kind),
        ...(workflow === undefined ? {} : { workflow }),
      });
      const { phase } = await playToEnd(rig.engine);
      const { currentNodeId, stepsCompleted, variables, artifacts } = rig.engine.memory.state;
      ends.push({ phase, currentNodeId, stepsCompleted, variables, artifacts: [...artifacts].sort() });
    }
    expect(ends[0]?.phase).toBe('Completed');
    expect(ends[1]).toEqual(ends[0]);
  });
});
