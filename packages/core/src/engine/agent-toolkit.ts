/**
 * What one agent works with: its merged policy, the tools that follow from it, and the frame of its prompts. Made once per
 * agent and kept, so that requests repeat it byte for byte.
 */
import { posix } from 'node:path';
import type { AgentDefinition } from '@crewagent/protocol/agents';
import type { RunFact } from '@crewagent/protocol/events';
import type { PromptMode } from '../prompt/base-rules.ts';
import { composeFrame, type PromptFrame } from '../prompt/prompt-composer.ts';
import { createBuiltinTools } from '../tools/builtin-tools.ts';
import type { FollowedScript } from '../tools/script-done.ts';
import { createStateGate, type StateGate } from '../tools/state-gate.ts';
import { createToolSource, type ToolFact } from '../tools/tool.ts';
import { createToolHost, type ToolHost } from '../tools/tool-host.ts';
import type { PackageLayout } from '../tools/tool-paths.ts';
import { mergePolicy, serversOf, type ToolPolicy } from '../tools/tool-policy.ts';
import type { PreparedTools, ToolSource } from '../tools/tool-source.ts';
import { createUnseenSteps } from '../tools/unseen-steps.ts';
import type { EngineSources, WorkflowPlan } from './engine-sources.ts';

export interface AgentToolkit {
  readonly agentId: string;
  readonly policy: ToolPolicy;
  /** Another one after `prepare` found other tools. */
  readonly host: ToolHost;
  /** Makes tools ready that are not built in; to be awaited before each request and each call. */
  prepare(signal: AbortSignal): Promise<void>;
  frame(mode: PromptMode): PromptFrame;
}

export interface AgentToolkits {
  /** Of the run's state document; a talk has none. */
  readonly gate: StateGate | undefined;
  /** The desk of an agent; an id nobody has gets a desk without a persona. */
  of(agentId: string): AgentToolkit;
}

export interface AgentToolkitOptions {
  emit(fact: RunFact): void;
  /** A person allowed one change of a complete workflow's state. */
  hasConsent(): boolean;
  /** The model was told which outputs a move leaves behind, and has not moved since. */
  wasMissingReported(from: string, to: string): boolean;
  /** The node whose reply is being carried out. */
  nodeId(): string | undefined;
  /** The script that is followed in a talk. */
  scriptPath(): string | undefined;
  /** Nodes that the model was told of. */
  visited(): Iterable<string>;
}

export function createAgentToolkits(
  sources: EngineSources,
  { emit, hasConsent, wasMissingReported, nodeId, scriptPath, visited }: AgentToolkitOptions,
): AgentToolkits {
  const { record, plan, agents, files, isSecret, tools = [], journal, adapter, clock, onBug } = sources;
  const { background, workflow, menu = [] } = sources;
  const now = (): Date => clock.now();
  const onFact = (fact: ToolFact): void => emit(toRunFact(fact, nodeId()));
  const gate =
    plan &&
    createStateGate({
      files,
      graph: plan.graph,
      now,
      strictOutputs: record.tools.strictOutputs,
      outputsOf: (id) => plan.nodes.get(id)?.outputs ?? [],
      hasConsent,
      wasMissingReported,
      onFact,
    });
  const unseenSteps =
    plan &&
    gate &&
    createUnseenSteps({
      gate,
      steps: [...plan.nodes.values()].map(({ id, file }) => ({ nodeId: id, file })),
      visited,
    });
  const isAgentThread = !plan && agents.length > 0;
  const script: FollowedScript | undefined = isAgentThread
    ? { path: scriptPath, end: (path) => emit({ type: 'script.left', path }) }
    : undefined;
  const packageLayout = plan ? toPackageLayout(plan) : isAgentThread ? {} : undefined;
  const recorder: Parameters<typeof createBuiltinTools>[0]['recorder'] = {
    begin: (change) => journal.begin({ ...change, nodeId: nodeId() }),
  };

  const createAgentToolkit = (agentId: string, agent: AgentDefinition | undefined): AgentToolkit => {
    // An agent must ask for servers; a chat has those that the person switched on.
    const wanted = agentId === '' ? CHAT_TOOLS : agent?.tools;
    const policy = mergePolicy(record.tools, wanted, adapter.traits.contextTokens);
    const builtin = createBuiltinTools({
      files,
      isSecret,
      policy,
      gate,
      ...(unseenSteps ? { unseenSteps } : {}),
      menu,
      packageLayout,
      script,
      recorder,
      now,
      onFact,
    });
    const createHost = (): ToolHost =>
      createToolHost({
        sources: [createToolSource(builtin), ...tools],
        policy,
        monotonicMs: () => clock.monotonicMs(),
        onFact: (fact) => emit({ ...fact, ...nodeField(nodeId()) }),
        onBug,
      });
    const hosting = createHosting(createHost, { tools, servers: serversOf(policy), emit });
    const frames = new Map<string, PromptFrame>();
    return {
      agentId,
      policy,
      get host() {
        return hosting.host;
      },
      async prepare(signal) {
        if (await hosting.prepare(signal)) frames.clear();
      },
      frame(mode) {
        // Several models may take turns: each has its own form of system messages.
        const key = `${mode} ${adapter.traits.takesSeveralSystemMessages}`;
        const made =
          frames.get(key) ??
          composeFrame({
            mode,
            agent,
            policy,
            tools: hosting.host.offered(),
            traits: adapter.traits,
            background,
            workflow,
            menu,
          });
        frames.set(key, made);
        return made;
      },
    };
  };

  const toolkits = new Map<string, AgentToolkit>();
  return {
    gate,
    of(agentId) {
      const toolkit =
        toolkits.get(agentId) ??
        createAgentToolkit(
          agentId,
          agents.find(({ id }) => id === agentId),
        );
      toolkits.set(agentId, toolkit);
      return toolkit;
    },
  };
}

function toPackageLayout({ graphPath, nodes }: WorkflowPlan): PackageLayout {
  return { workflowFolder: posix.dirname(graphPath), stepOf: (nodeId) => nodes.get(nodeId)?.file };
}

interface Hosting {
  readonly host: ToolHost;
  /** Whether another host was made. */
  prepare(signal: AbortSignal): Promise<boolean>;
}

/** The tool host of an agent, made anew whenever a source lists other tools. */
function createHosting(
  createHost: () => ToolHost,
  {
    tools,
    servers,
    emit,
  }: {
    readonly tools: readonly ToolSource[];
    readonly servers: readonly string[];
    emit(fact: RunFact): void;
  },
): Hosting {
  let host = createHost();
  let revision = '';
  const warned = new Set<string>();
  return {
    get host() {
      return host;
    },
    async prepare(signal) {
      const prepared: PreparedTools[] = [];
      for (const source of tools) if (source.prepare) prepared.push(await source.prepare(servers, signal));
      for (const message of prepared.flatMap(({ warnings }) => warnings)) {
        if (!warned.has(message)) emit({ type: 'warning', code: 'MCP_SERVER_FAILED', message });
        warned.add(message);
      }
      const now = prepared.map((one) => one.revision).join(' ');
      if (now === revision) return false;
      revision = now;
      host = createHost();
      return true;
    },
  };
}

const CHAT_TOOLS: AgentDefinition['tools'] = { mcp: { enabled: true } };

function toRunFact(fact: ToolFact, nodeId: string | undefined): RunFact {
  switch (fact.type) {
    case 'state.changed': {
      const { label, unset, artifactsAdded, stepsRemoved = [], outputsMissing = [], ...rest } = fact;
      return {
        ...rest,
        ...(stepsRemoved.length > 0 ? { stepsRemoved: [...stepsRemoved] } : {}),
        ...(outputsMissing.length > 0 ? { outputsMissing: [...outputsMissing] } : {}),
        ...(label === undefined ? {} : { label }),
        ...(unset.length > 0 ? { unset: [...unset] } : {}),
        ...(artifactsAdded.length > 0 ? { artifactsAdded: [...artifactsAdded] } : {}),
        stepsAdded: [...fact.stepsAdded],
        decisionsAdded: [...fact.decisionsAdded],
        notes: [...fact.notes],
        variables: { ...fact.variables },
      };
    }
    case 'artifact.written':
      return { ...fact, ...nodeField(nodeId) };
    case 'choice.offered':
      return { ...fact, candidates: [...fact.candidates] };
    case 'transition.refused':
    case 'warning':
      return fact;
  }
}

function nodeField(nodeId: string | undefined): { nodeId?: string } {
  return nodeId === undefined ? {} : { nodeId };
}
