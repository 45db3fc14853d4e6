/**
 * Everything the engine needs to work as one agent: its merged policy, its tools, and the frame of its prompts. Created once
 * per agent and reused, so that requests repeat the frame byte for byte.
 */
import { posix } from 'node:path';
import type { AgentDefinition } from '@crewagent/protocol/agents';
import type { RunFact } from '@crewagent/protocol/events';
import type { PromptMode } from '../prompt/base-rules.ts';
import { composeFrame, type PromptFrame } from '../prompt/prompt-composer.ts';
import { createBuiltinTools } from '../tools/builtin-tools.ts';
import { createStateGate, type StateGate } from '../tools/state/state-gate.ts';
import { createUnseenSteps } from '../tools/state/unseen-steps.ts';
import { createToolSource, type ToolFact } from '../tools/tool.ts';
import { createToolHost, type ToolHost } from '../tools/tool-host.ts';
import type { PackageLayout } from '../tools/tool-paths.ts';
import { mergePolicy, serversOf, type ToolPolicy } from '../tools/tool-policy.ts';
import type { PreparedTools } from '../tools/tool-source.ts';
import type { FollowedScript } from '../tools/ui-tools.ts';
import type { EngineSources, WorkflowPlan } from './engine-sources.ts';
import type { NodeProver } from './proof/node-prover.ts';
import { toolsFor } from './small-profile.ts';

export interface AgentToolkit {
  readonly agentId: string;
  readonly policy: ToolPolicy;
  /** Replaced when `prepare` finds other tools. */
  readonly host: ToolHost;
  /** Prepares tools that are not built in; await it before each request and each call. */
  prepare(signal: AbortSignal): Promise<void>;
  /** `smallStep`: the step that a small model works on; undefined for other models. */
  frame(mode: PromptMode, smallStep?: string): PromptFrame;
}

export interface AgentToolkits {
  /** Gate of the run's state document; undefined in a thread. */
  readonly gate: StateGate | undefined;
  /** The toolkit of an agent; an unknown id gets one without a persona. */
  of(agentId: string): AgentToolkit;
}

export interface AgentToolkitOptions {
  emit(fact: RunFact): void;
  /** Hides secrets in results. */
  hide<T>(value: T): T;
  /** Whether a person allowed one change of the state of a complete workflow. */
  hasConsent(): boolean;
  /** Whether this transition was rejected because of missing outputs, and no other one was made since. */
  wasMissingReported(from: string, to: string): boolean;
  /** Whether this run wrote a file, given by its full mount path, but only before it came to the current node. */
  wasWrittenEarly(path: string): boolean;
  /** Judges the nodes of the run; undefined in a thread. */
  readonly proof: NodeProver;
  /** The node whose reply is being executed. */
  nodeId(): string | undefined;
  /** The script that is followed in a thread. */
  scriptPath(): string | undefined;
  /** Nodes that the model has received. */
  visited(): Iterable<string>;
}

export function createAgentToolkits(sources: EngineSources, options: AgentToolkitOptions): AgentToolkits {
  const { record, plan, agents, document, files, clock, journal } = sources;
  const { emit, nodeId, scriptPath, visited } = options;
  const now = (): Date => clock.now();
  const onFact = (fact: ToolFact): void =>
    emit(fact.type === 'artifact.written' ? { ...fact, nodeId: nodeId() } : fact);
  const promised = new Set([...(plan?.nodes.values() ?? [])].flatMap((node) => node.setsVariables ?? []));
  const gate =
    plan &&
    createStateGate({
      document,
      files,
      graph: plan.graph,
      now,
      strictOutputs: record.tools.strictOutputs,
      resultsOf: (id) => {
        const { outputs = [], setsVariables = [] } = plan.nodes.get(id) ?? {};
        const isOfOthers = (path: string): boolean =>
          [...plan.nodes.values()].some(
            (node) => node.id !== id && node.outputs.some((output) => path === `@project/${output}`),
          );
        const isEarly = (path: string): boolean => options.wasWrittenEarly(path) && !isOfOthers(path);
        return { outputs, setsVariables, promised, isEarly };
      },
      ...options.proof,
      hasConsent: options.hasConsent,
      wasMissingReported: options.wasMissingReported,
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
  const shared: SharedTools = {
    gate,
    unseenSteps,
    packageLayout: plan ? toPackageLayout(plan) : isAgentThread ? {} : undefined,
    earlierNodes: plan && { visited, titleOf: (id) => plan.nodes.get(id)?.title ?? '' },
    script,
    recorder: { begin: (change) => journal.begin({ ...change, nodeId: nodeId() }) },
    now,
    onFact,
  };

  const toolkits = new Map<string, AgentToolkit>();
  const withheld = new Set<string>();
  return {
    gate,
    of(agentId) {
      const toolkit =
        toolkits.get(agentId) ?? createAgentToolkit(agentId, { ...shared, withheld }, sources, options);
      toolkits.set(agentId, toolkit);
      return toolkit;
    },
  };
}

/** What the tools of all agents of a run have in common. */
type SharedTools = Pick<
  Parameters<typeof createBuiltinTools>[0],
  'gate' | 'unseenSteps' | 'packageLayout' | 'earlierNodes' | 'script' | 'recorder' | 'now' | 'onFact'
>;

interface SharedParts extends SharedTools {
  /** Servers that an agent did not get and that were reported: each once in a run. */
  readonly withheld: Set<string>;
}

function createAgentToolkit(
  agentId: string,
  { withheld, ...shared }: SharedParts,
  { record, agents, files, isSecret, tools = [], adapter, clock, onBug, ...sources }: EngineSources,
  { emit, hide, nodeId }: AgentToolkitOptions,
): AgentToolkit {
  const { background, workflow, plan, menu = [] } = sources;
  const agent = agents.find(({ id }) => id === agentId);
  // An agent has to request servers; a chat gets all that the person enabled.
  const requested = agentId === '' ? CHAT_TOOLS : agent?.tools;
  const policy = mergePolicy(record.tools, requested, adapter.traits.contextTokens);
  const builtin = createBuiltinTools({ files, isSecret, policy, menu, ...shared });
  const createHost = (): ToolHost =>
    createToolHost({
      sources: [createToolSource(builtin), ...tools],
      policy,
      monotonicMs: () => clock.monotonicMs(),
      hide,
      onFact: (fact) => emit({ ...fact, nodeId: nodeId() }),
      onBug,
    });
  let host = createHost();
  let revision = '';
  const reported = new Set<string>();
  const frames = new Map<string, PromptFrame>();
  const reportWithheld = (): void => {
    const { mcp } = record.tools;
    const offered = serversOf(policy);
    for (const server of mcp.enabled ? mcp.allowedServers : []) {
      if (offered.includes(server) || withheld.has(server)) continue;
      withheld.add(server);
      const details = { server, agent: agent?.metadata.name ?? agentId };
      const message = `The MCP server "${server}" is enabled, but ${details.agent} does not get it: the package does not name it for this agent.`;
      emit({ type: 'warning', code: 'MCP_SERVER_WITHHELD', message, details });
    }
  };
  return {
    agentId,
    policy,
    get host() {
      return host;
    },
    async prepare(signal) {
      reportWithheld();
      const prepared: PreparedTools[] = [];
      for (const source of tools)
        if (source.prepare) prepared.push(await source.prepare(serversOf(policy), signal));
      for (const warning of prepared.flatMap(({ warnings }) => warnings)) {
        const fact = typeof warning === 'string' ? { code: 'MCP_SERVER_FAILED', message: warning } : warning;
        if (!reported.has(fact.message)) emit({ type: 'warning', ...fact });
        reported.add(fact.message);
      }
      const current = prepared.map((source) => source.revision).join(' ');
      if (current === revision) return;
      revision = current;
      host = createHost();
      frames.clear();
    },
    frame(mode, smallStep) {
      const { traits } = adapter;
      const isSmall = mode === 'run' && smallStep !== undefined;
      const offered = host.offered();
      const shown = isSmall ? toolsFor(smallStep, offered) : offered;
      // Models may alternate, and not all of them accept several system messages.
      const key = [mode, traits.takesSeveralSystemMessages, isSmall, ...shown.map(({ name }) => name)].join(
        ' ',
      );
      const frame =
        frames.get(key) ??
        composeFrame({
          mode,
          agent,
          policy,
          tools: shown,
          isSmall,
          traits,
          background,
          workflow,
          otherWorkflows: plan?.others ?? [],
          menu,
        });
      frames.set(key, frame);
      return frame;
    },
  };
}

function toPackageLayout({ graphPath, nodes }: WorkflowPlan): PackageLayout {
  return { workflowFolder: posix.dirname(graphPath), stepOf: (nodeId) => nodes.get(nodeId)?.file };
}

const CHAT_TOOLS: AgentDefinition['tools'] = { mcp: { enabled: true } };
