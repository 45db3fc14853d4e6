/**
 * Executes the model's tool calls: checks name, policy, arguments and consent, and bounds time and result size. Every
 * call has exactly one outcome; an error that only the user can fix is thrown as CrewError.
 */
import { effectKindOf as builtinEffectKindOf, hashesIn, isRead } from '@crewagent/protocol/tool-effects';
import type { EffectKind, ToolFailure } from '@crewagent/protocol/tools';
import { unlessEmpty } from '../base/optional-fields.ts';
import { maskIn } from '../mounts/sensitive/hidden-values.ts';
import {
  ABORTED,
  type AvailableTool,
  type ExecuteOptions,
  executeCall,
  previewChange,
  type ToolCall,
} from './execute-call.ts';
import { failure } from './tool.ts';
import {
  type ApprovalRequest,
  type CallFact,
  type DoneCall,
  done,
  summaryOf,
  type ToolOutcome,
} from './tool-outcome.ts';
import { isOffered, serversOf, type ToolPolicy } from './tool-policy.ts';
import type { ToolDescription, ToolSource } from './tool-source.ts';
import { createWireNames, type WireNames } from './wire-names.ts';

export interface OfferedTool {
  readonly name: string;
  readonly wireName: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ToolHost {
  /** Tools sent to the model, in a fixed order. */
  offered(): readonly OfferedTool[];
  /** Canonical name of a tool, in whatever spelling a model uses; the spelling itself if it is no tool. */
  nameOf(spelling: string): string;
  isTool(spelling: string): boolean;
  /** Effect kind of a tool; `none` if there is no such tool. */
  effectKindOf(name: string): EffectKind;
  execute(call: ToolCall, options: ExecuteOptions): Promise<ToolOutcome>;
  /** What a call would return that only reads; the model did not make it, so it is not reported. Undefined for other calls. */
  peek(call: ToolCall, options: ExecuteOptions): Promise<DoneCall | undefined>;
  /** The file change for which this call would request approval; executes nothing. Undefined if it would request none. */
  previewChange(call: ToolCall, options: ExecuteOptions): Promise<ApprovalRequest | undefined>;
}

interface ToolHostSources {
  readonly sources: readonly ToolSource[];
  readonly policy: ToolPolicy;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Hides secrets in what a call answers; default: by content. */
  hide?<T>(value: T): T;
  onFact(fact: CallFact): void;
  /** Reports an internal error, with the id that was sent to the model. */
  onBug(id: string, error: unknown): void;
}

export function createToolHost(sources: ToolHostSources): ToolHost {
  const { policy, monotonicMs, hide = maskIn, onFact } = sources;
  const byName = toAvailableTools(sources.sources, policy);
  const names = createWireNames([...byName.keys()]);
  const nameOf = (spelling: string): string => names.fromWire(spelling) ?? spelling;
  const effectKindOf = (name: string): EffectKind =>
    byName.get(name)?.tool.effect ?? builtinEffectKindOf(name);
  const answerCall = async (name: string, call: ToolCall, options: ExecuteOptions): Promise<ToolOutcome> => {
    if (options.signal.aborted) return done(name, ABORTED);
    const available = byName.get(name);
    if (!available) return done(name, noSuchTool(name, [...byName.keys()].map(names.toWire)));
    return executeCall(available, call, options, sources);
  };
  let definitions: OfferedTool[] | undefined;

  return {
    nameOf,
    isTool: (spelling) => names.fromWire(spelling) !== undefined,
    effectKindOf,
    offered() {
      definitions ??= [...byName.values()].map(({ tool }) => toOffered(tool, names));
      return definitions.filter(({ name }) => byName.get(name)?.tool.isOffered?.() !== false);
    },
    async previewChange(call, options) {
      const available = byName.get(nameOf(call.name));
      return available && CHANGES_FILES.has(available.tool.effect)
        ? previewChange(available, call, options, policy)
        : undefined;
    },
    async peek(call, options) {
      const name = nameOf(call.name);
      const answered = isRead({ kind: effectKindOf(name) })
        ? await answerCall(name, call, options)
        : undefined;
      return answered?.kind === 'done' ? hideInOutcome(answered, hide) : undefined;
    },
    async execute(call, options) {
      const start = monotonicMs();
      const name = nameOf(call.name);
      const answered = await answerCall(name, call, options);
      await options.reportAfter;
      if (answered.kind !== 'done') return answered;
      const outcome = hideInOutcome(answered, hide);
      const { result, content } = outcome;
      const durationMs = Math.round(monotonicMs() - start);
      const kind = effectKindOf(name);
      const isReadOnly = kind === 'external' && byName.get(name)?.tool.isReadOnly;
      const hashes = unlessEmpty(hashesIn(kind, outcome.effect.path, result));
      const facts = { ...(isReadOnly && { isReadOnly: true as const }), ...(hashes && { hashes }) };
      const effect = { kind, ...facts, ...outcome.effect };
      const summary = summaryOf(result);
      onFact({ type: 'tool.ended', callId: call.id, name, ...summary, durationMs, content, effect });
      return outcome;
    },
  };
}

function hideInOutcome(outcome: DoneCall, hide: <T>(value: T) => T): DoneCall {
  const { name, result, effect } = outcome;
  const shown = hide({ result, effect });
  return shown.result === result && shown.effect === effect
    ? outcome
    : done(name, shown.result, shown.effect);
}

/** Tools allowed by the policy, in the order of the sources. */
function toAvailableTools(
  sources: readonly ToolSource[],
  policy: ToolPolicy,
): ReadonlyMap<string, AvailableTool> {
  const byName = new Map<string, AvailableTool>();
  for (const source of sources)
    for (const tool of source.list(serversOf(policy)))
      if (isOffered(tool, policy) && !byName.has(tool.name)) byName.set(tool.name, { tool, source });
  return byName;
}

function noSuchTool(name: string, offered: readonly string[]): ToolFailure {
  const message = `There is no tool "${name.slice(0, 64)}"; use one of ${offered.join(', ')}.`;
  return failure('TOOL_NOT_AVAILABLE', message);
}

/** Tools that prepare a change and make it only when it is committed. */
const CHANGES_FILES: ReadonlySet<EffectKind> = new Set(['written', 'patched']);

function toOffered(tool: ToolDescription, names: WireNames): OfferedTool {
  const { name, description } = tool;
  return { name, wireName: names.toWire(name), description, parameters: tool.parameters() };
}
