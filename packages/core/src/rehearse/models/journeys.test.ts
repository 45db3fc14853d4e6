/**
 * The rehearsal drives the example packages with the real tools and the real gate on real folders. The driver in this
 * file replaces the engine: it creates anchors and histories, and loses them.
 */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type SystemToolPolicy, systemToolPolicySchema, type ToolResult } from '@crewagent/protocol/tools';
import { describe, expect, it } from 'vitest';
import { mapLimit } from '../../base/map-limit.ts';
import { stagingName } from '../../base/staging.ts';
import type { Workflow } from '../../bmad/check/workflow-package.ts';
import { inspectPackage } from '../../bmad/load-package.ts';
import type { LLMAdapter, ModelReply } from '../../llm/llm-adapter.ts';
import type { NodeFacts, RequestFacts } from '../../llm/request-facts.ts';
import type { ChatMessage } from '../../llm/wire.ts';
import { STATE_DOCUMENT } from '../../mounts/mount-path.ts';
import { createMountedFs } from '../../mounts/mounted-fs.ts';
import { fillVariables } from '../../mounts/path-template.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import { openVersionedText } from '../../mounts/versioned-text.ts';
import { toNodeFacts } from '../../prompt/prompt-blocks.ts';
import { testContext } from '../../testing/inspect.ts';
import { createSentFacts } from '../../testing/rehearsal-scene.ts';
import { readTree, tempFolder } from '../../testing/temp-folder.ts';
import { createBuiltinTools } from '../../tools/builtin-tools.ts';
import { createStateGate } from '../../tools/state/state-gate.ts';
import { createToolSource } from '../../tools/tool.ts';
import { createToolHost } from '../../tools/tool-host.ts';
import { mergePolicy } from '../../tools/tool-policy.ts';
import { allowedNext, effectiveNode, isComplete } from '../../workflow/transition.ts';
import type { WorkflowState } from '../../workflow/workflow-state.ts';
import { createRehearsal } from './rehearsal.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../../examples');
const NOW = new Date('2026-01-31T09:30:00.000Z');

interface JourneyOptions {
  readonly example: string;
  readonly workflow?: string;
  /** An example folder that is copied first. */
  readonly project?: string;
  readonly policy?: Partial<Record<keyof SystemToolPolicy, unknown>>;
  readonly adapter?: LLMAdapter;
  readonly answers?: Readonly<Record<string, unknown>>;
  /** Keeps the messages of nodes that were left. */
  readonly isWholeRun?: boolean;
  /** Crash in this turn, counted from 1. */
  readonly accident?: { readonly turn: number; readonly kind: Accident };
}

/** The process dies before or after the calls took effect, or the history is lost as well. */
type Accident = 'before the calls' | 'after the calls' | 'history lost';

interface Journey {
  readonly state: WorkflowState;
  readonly stateText: string;
  readonly project: Record<string, string>;
  readonly path: readonly string[];
  readonly turns: number;
  readonly failures: readonly string[];
  readonly questions: readonly unknown[];
  readonly lastWords: string;
}

const MAX_TURNS = 200;

async function travel(options: JourneyOptions): Promise<Journey> {
  const { accident, answers = {}, isWholeRun = false } = options;
  const world = await openWorld(options);
  const rehearsal = options.adapter ?? createRehearsal();
  const failures: string[] = [];
  const questions: unknown[] = [];
  const path: string[] = [];
  let messages: ChatMessage[] = [];
  let history = createSentFacts(messages);
  let isStepShown = true;
  const reset = (): void => {
    messages = [];
    history = createSentFacts(messages);
  };
  let shownNode: string | undefined;
  let ids = 0;

  const arrive = async (intent: 'start' | 'continue' | 'resume'): Promise<WorkflowState> => {
    const { state } = await world.gate.read();
    const nodeId = effectiveNode(state, world.workflow.graph);
    if (isComplete(state, world.workflow.graph) || (nodeId === shownNode && intent === 'continue'))
      return state;
    if (nodeId !== shownNode) path.push(nodeId);
    if (nodeId !== shownNode) isStepShown = intent !== 'resume';
    if (nodeId !== shownNode && !isWholeRun) reset();
    messages.push({ role: 'user', content: `at ${nodeId}` });
    history.tell({ kind: 'anchor', nodeId });
    shownNode = nodeId;
    return state;
  };

  await arrive('start');
  const arrived = async (turns: number, lastWords: string): Promise<Journey> => {
    const { state, text } = await world.gate.read();
    const project = await readTree(world.project);
    return { state, stateText: text, project, path, turns, failures, questions, lastWords };
  };

  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    const node = await world.node(isStepShown);
    const facts = history.facts({ isThread: false, node });
    const reply = await ask(rehearsal, { messages, facts }, world.tools);
    if (reply.toolCalls.length === 0) return arrived(turn, reply.content);
    const calls = reply.toolCalls.map((call) => ({ ...call, id: `c${++ids}` }));
    const hit = accident?.turn === turn ? accident.kind : undefined;
    messages.push({
      role: 'assistant',
      content: reply.content,
      tool_calls: calls.map(({ id, name, arguments: text }) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: text },
      })),
    });
    for (const call of calls) {
      const result = hit === 'before the calls' ? ABORTED : await world.execute(call, answers, questions);
      if (!result.ok && !['ENOENT', 'ENGINE_ABORTED'].includes(result.error.code))
        failures.push(`${call.name}: ${JSON.stringify(result.error)}`);
      const shown = hit === 'after the calls' ? ABORTED : result;
      messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify(shown) });
    }
    if (hit === 'history lost') {
      reset();
      path.pop();
      shownNode = undefined;
    }
    const state = await arrive(hit ? 'resume' : 'continue');
    // No final reply is requested once the process that waited for it is gone.
    if (hit && isComplete(state, world.workflow.graph)) return arrived(turn, '');
  }
  throw new Error(`not at an end after ${MAX_TURNS} turns: ${path.join(' ')}`);
}

const ABORTED: ToolResult = { ok: false, error: { code: 'ENGINE_ABORTED', message: 'stopped' } };

/** Asks twice to check that the rehearsal has no memory. */
async function ask(
  adapter: LLMAdapter,
  { messages, facts }: { messages: readonly ChatMessage[]; facts: RequestFacts },
  tools: readonly string[],
): Promise<ModelReply> {
  const request = {
    messages: [{ role: 'system' as const, content: 'rules' }, ...messages],
    facts: async () => facts,
    tools: tools.map((name) => ({
      type: 'function' as const,
      function: { name, description: '', parameters: {} },
    })),
  };
  const watch = { signal: new AbortController().signal, onProgress: () => undefined };
  const [first, again] = [await adapter.chat(request, watch), await adapter.chat(request, watch)];
  expect(again).toEqual(first);
  if (first.kind !== 'reply') throw new Error(first.kind);
  return first.reply;
}

async function openWorld({ example, workflow: ref, project: from, policy: wishes = {} }: JourneyOptions) {
  const root = await tempFolder();
  const pkg = join(EXAMPLES, example);
  const [project, state] = [join(root, 'project'), join(root, 'state')];
  await mkdir(state);
  if (from === undefined) await mkdir(project);
  else await cp(join(EXAMPLES, from), project, { recursive: true });
  const workflow = await loadWorkflow(pkg, ref);
  await writeFile(join(state, 'workflow.md'), await readFile(join(pkg, workflow.workflowPath)));
  const { graph, nodes } = workflow;
  const isSecret = createSecretCheck();
  const files = createMountedFs({ project, pkg, state }, isSecret);
  const policy = mergePolicy(systemToolPolicySchema.parse({ strictOutputs: true, ...wishes }), undefined);
  const now = (): Date => NOW;
  const onFact = (): void => undefined;
  const outputsOf = (nodeId: string): readonly string[] => nodes.get(nodeId)?.outputs ?? [];
  const gate = createStateGate({
    document: openVersionedText(files, STATE_DOCUMENT),
    files,
    graph,
    now,
    strictOutputs: policy.strictOutputs,
    hasConsent: () => false,
    wasMissingReported: () => false,
    resultsOf: (nodeId) => ({ outputs: outputsOf(nodeId), setsVariables: [] }),
    wasWritten: () => true,
    onFact,
  });
  const begin = async () => ({
    tempName: stagingName('writing'),
    done: async () => undefined,
    abandon: async () => undefined,
  });
  const tools = createBuiltinTools({
    files,
    isSecret,
    policy,
    gate,
    recorder: { begin },
    now,
    onFact,
  });
  const monotonicMs = (): number => 0;
  const onBug = (_: string, error: unknown): never => {
    throw error;
  };
  const host = createToolHost({ sources: [createToolSource(tools)], policy, monotonicMs, onFact, onBug });

  return {
    project,
    workflow,
    gate,
    tools: host.offered().map(({ wireName }) => wireName),

    async node(isStepShown: boolean): Promise<NodeFacts> {
      const { state: current } = await gate.read();
      const node = nodes.get(effectiveNode(current, graph));
      if (!node) throw new Error('no such node');
      const fill = (path: string): string => fillVariables(path, current.variables);
      const brief = {
        nodeId: node.id,
        title: node.title,
        type: node.type,
        stepPath: node.file,
        stepsCompleted: current.stepsCompleted,
        variables: current.variables,
        inputs: node.inputs.map(fill),
        outputs: node.outputs.map(fill),
        allowedNext: allowedNext(current, graph),
      };
      return toNodeFacts(brief, isStepShown ? await readFile(join(pkg, node.file), 'utf8') : undefined);
    },

    async execute(
      call: { id: string; name: string; arguments: string },
      answers: Readonly<Record<string, unknown>>,
      questions: unknown[],
    ): Promise<ToolResult> {
      const outcome = await host.execute(call, { signal: new AbortController().signal });
      if (outcome.kind === 'done') return outcome.result;
      if (outcome.kind === 'approval') throw new Error('nobody is there to approve');
      questions.push(...outcome.questions.map(({ id }) => id));
      return { ok: true, answers };
    },
  };
}

/** Read and validated once: no journey changes an example. */
const inspections = new Map<string, ReturnType<typeof inspectPackage>>();

async function loadWorkflow(folder: string, ref: string | undefined): Promise<Workflow> {
  const inspecting = inspections.get(folder) ?? inspectPackage(folder, testContext);
  inspections.set(folder, inspecting);
  const { package: loaded } = await inspecting;
  const workflow = loaded?.workflows.find((candidate) => ref === undefined || candidate.ref === ref);
  if (!workflow) throw new Error(`no workflow in ${dirname(folder)}`);
  return workflow;
}

const artifactsOf = ({ project }: Journey): string[] =>
  Object.keys(project)
    .filter((name) => name.startsWith('artifacts/') && !name.endsWith('/'))
    .sort();

describe('examples', () => {
  it.each(['create-story-micro', 'create-story-micro-zh'])(
    '[K14] %s needs no person on the demo project',
    async (example) => {
      const journey = await travel({ example, project: 'demo-project' });
      expect(journey.failures).toEqual([]);
      expect(journey.questions).toEqual([]);
      expect(journey.state.variables).toEqual({
        storyKey: 'rehearsal-story-key',
        epicNum: 1,
        storyNum: 1,
        storyTitle: 'rehearsal-story-title',
        sprintStatusPath: 'rehearsal-sprint-status-path',
        workflowStatus: 'complete',
      });
      expect(journey.state.stepsCompleted).toEqual(journey.path);
      expect(journey.path).toHaveLength(6);
      expect(artifactsOf(journey)).toEqual([
        'artifacts/create-story/context.md',
        'artifacts/create-story/inputs.md',
        'artifacts/create-story/sprint-status-update.md',
        'artifacts/create-story/summary.md',
        'artifacts/create-story/target.md',
        'artifacts/stories/rehearsal-story-key.md',
      ]);
      expect(journey.lastWords).toBe(
        'The rehearsal is finished; no model was asked. Files written last: artifacts/create-story/summary.md.',
      );
    },
  );

  it.each(['create-story-micro', 'create-story-micro-zh'])(
    '[K14] %s asks for the story in an empty project',
    async (example) => {
      const journey = await travel({ example, answers: { storyKey: '1-2 User Login!' } });
      expect([journey.failures, journey.questions]).toEqual([[], ['storyKey']]);
      expect(journey.state.variables.storyKey).toBe('1-2-user-login');
      expect(artifactsOf(journey)).toContain('artifacts/stories/1-2-user-login.md');
      expect(journey.project['artifacts/create-story/target.md']).toContain('> 1-2 User Login!');
    },
  );

  const person = { projectName: 'Larder', goal: 'Shared lists', existing: 'nothing' };

  it.each(['hello-branch', 'hello-branch-zh'])('[K14] %s takes the default branch', async (example) => {
    const journey = await travel({ example, answers: person });
    expect([journey.failures, journey.questions]).toEqual([[], ['projectName', 'goal', 'existing']]);
    expect(journey.path).toEqual([
      'step-01-intake',
      'decide-02-project-type',
      'step-03b-brownfield',
      'end-99',
    ]);
    expect(journey.state.variables).toEqual({
      projectName: 'Larder',
      goal: 'Shared lists',
      projectType: 'brownfield',
      workflowStatus: 'complete',
    });
    expect(journey.state.decisionLog).toMatchObject([
      {
        from: 'decide-02-project-type',
        to: 'step-03b-brownfield',
        label: 'brownfield',
        reason: 'Rehearsal: the default edge.',
      },
    ]);
  });

  it.each(['hello-branch', 'hello-branch-zh'])(
    '[K14] %s takes the other branch when it is chosen',
    async (example) => {
      const adapter = createRehearsal({ choose: () => 'greenfield' });
      const journey = await travel({ example, adapter, answers: person });
      expect(journey.failures).toEqual([]);
      expect(journey.path).toContain('step-03a-greenfield');
      expect(journey.state.variables.projectType).toBe('greenfield');
      expect(artifactsOf(journey)).toContain('artifacts/hello-branch/greenfield-plan.md');
    },
  );

  it('[K14] hello-linear completes', async () => {
    const journey = await travel({
      example: 'multi-workflows',
      answers: { topic: 'Tides', audience: 'Sailors' },
    });
    expect([journey.failures, journey.path]).toEqual([[], ['step-01-ask', 'step-02-generate', 'end-99']]);
    expect(journey.state.variables.topic).toBe('Tides');
  });

  const record = { example: 'multi-workflows', workflow: 'decision-record', answers: { question: 'Which?' } };
  /** Back to the draft twice, then on. */
  const twice = () => createRehearsal({ choose: (_, __, visit) => (visit < 3 ? 'revise' : 'accept') });
  const LOOPED = [
    'step-01-frame',
    'step-02-compare',
    ...Array.from({ length: 3 }, () => ['step-03-draft', 'step-04-review', 'decide-05-verdict']).flat(),
    'end-99',
  ];

  it('[K14] decision-record skips the loop by default, and runs it when requested', async () => {
    const straight = await travel(record);
    expect(straight.failures).toEqual([]);
    expect(straight.path).toEqual([...LOOPED.slice(0, 5), 'end-99']);
    for (const isWholeRun of [false, true]) {
      const journey = await travel({ ...record, isWholeRun, adapter: twice() });
      expect(journey.failures).toEqual([]);
      expect(journey.path).toEqual(LOOPED);
      expect(journey.state.variables.reviewRound).toBe(3);
      expect(journey.state.decisionLog.map(({ label }) => label)).toEqual(['revise', 'revise', 'accept']);
      expect(new Set(journey.state.stepsCompleted).size).toBe(journey.state.stepsCompleted.length);
      expect(artifactsOf(journey)).toContain('artifacts/decisions/rehearsal-decision-slug.md');
    }
  });

  it('[K14] completes in strict mode', async () => {
    const journey = await travel({ ...record, policy: { strictState: true }, adapter: twice() });
    expect(journey.failures).toEqual([]);
    expect(journey.path).toEqual(LOOPED);
    expect(journey.state.variables.workflowStatus).toBe('complete');
  });

  it('[K14] in read-only mode it reads, asks, and stops where an output has to be written', async () => {
    const journey = await travel({ ...record, policy: { approval: 'read-only' } });
    expect(journey.lastWords).toContain('could not be left (E_OUTPUTS_MISSING)');
    expect(journey.project).toEqual({});
  });
});

describe('crashes', () => {
  const story = { example: 'create-story-micro', project: 'demo-project' };
  const branch = {
    example: 'hello-branch',
    answers: { projectName: 'Larder', goal: 'Lists', existing: '-' },
  };
  const accidents: [kind: Accident, options: JourneyOptions][] = [
    ['before the calls', branch],
    ['after the calls', branch],
    ['history lost', branch],
    ['history lost', story],
  ];
  for (const [kind, options] of accidents) {
    it(`[K1] ${options.example} ends the same if the process dies in any turn: ${kind}`, async () => {
      const whole = await travel(options);
      const turns = Array.from({ length: whole.turns - 1 }, (_, index) => index + 1);
      const hits = await mapLimit(turns, 4, (turn) => travel({ ...options, accident: { turn, kind } }));
      for (const hit of hits) {
        expect(hit.failures).toEqual([]);
        expect(hit.project).toEqual(whole.project);
        expect(hit.stateText).toEqual(whole.stateText);
      }
    });
  }
});
