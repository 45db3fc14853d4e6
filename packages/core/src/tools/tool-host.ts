/**
 * Executes the model's tool calls: checks name, policy, arguments and consent, and bounds time and result size. Every
 * call has exactly one outcome; an error that only the user can fix is thrown as CrewError.
 */
import { randomUUID } from 'node:crypto';
import type { Answers } from '@crewagent/protocol/answers';
import { effectKindOf as builtinEffectKindOf } from '@crewagent/protocol/tool-effects';
import type { EffectKind, ToolFailure, ToolProgress } from '@crewagent/protocol/tools';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, errnoSentence } from '../base/errno.ts';
import { type ConsentOptions, checkConsent, isFor, toExternalAction } from './consent.ts';
import { readArguments } from './read-arguments.ts';
import { TimedOut, withTimeLimit } from './time-limit.ts';
import { failure } from './tool.ts';
import { type ApprovalRequest, type CallFact, done, summaryOf, type ToolOutcome } from './tool-outcome.ts';
import { isOffered, serversOf, type ToolPolicy } from './tool-policy.ts';
import type { ToolAnswer, ToolDescription, ToolSource } from './tool-source.ts';
import { createWireNames, type WireNames } from './wire-names.ts';

export interface ToolCall {
  readonly id: string;
  /** Canonical name or wire name. */
  readonly name: string;
  /** JSON text written by the model. */
  readonly arguments: string;
  /** True if the reply ended in the middle of this call. */
  readonly isCutOff?: boolean;
}

export interface ExecuteOptions extends ConsentOptions {
  readonly signal: AbortSignal;
  /** The node in which the model decided on this call; '' if it had no node brief. */
  readonly decidedAt?: string;
  /** Answers to the questions of this call, if it asked some while it was in progress. */
  readonly answers?: Answers | undefined;
  onProgress?(progress: ToolProgress): void;
  /** Somebody can answer questions; true by default. */
  readonly isAttended?: boolean;
}

export interface OfferedTool {
  readonly name: string;
  readonly wireName: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ToolHost {
  /** Tools sent to the model, in a fixed order. */
  offered(): readonly OfferedTool[];
  /** Canonical name of a tool; accepts either spelling. */
  nameOf(spelling: string): string;
  /** Effect kind of a tool; `none` if there is no such tool. */
  effectKindOf(name: string): EffectKind;
  execute(call: ToolCall, options: ExecuteOptions): Promise<ToolOutcome>;
  /** The file change for which this call would request approval; executes nothing. Undefined if it would request none. */
  previewChange(call: ToolCall, options: ExecuteOptions): Promise<ApprovalRequest | undefined>;
}

export interface ToolHostSources {
  readonly sources: readonly ToolSource[];
  readonly policy: ToolPolicy;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
  onFact(fact: CallFact): void;
  /** Reports an internal error, with the id that was sent to the model. */
  onBug(id: string, error: unknown): void;
}

/** A call that reports progress may take this many times the time limit. */
const MAX_EXTENSION = 6;

export function createToolHost(sources: ToolHostSources): ToolHost {
  const { policy, monotonicMs, onFact } = sources;
  const byName = toAvailableTools(sources.sources, policy);
  const names = createWireNames([...byName.keys()]);
  const nameOf = (spelling: string): string => names.fromWire(spelling) ?? spelling;
  const effectKindOf = (name: string): EffectKind =>
    byName.get(name)?.tool.effect ?? builtinEffectKindOf(name);
  const answerCall = async (name: string, call: ToolCall, options: ExecuteOptions): Promise<ToolOutcome> => {
    if (options.signal.aborted) return done(name, ABORTED);
    const available = byName.get(name);
    if (!available) return done(name, noSuchTool(name, [...byName.keys()]));
    return executeCall(available, call, options, sources);
  };
  let definitions: OfferedTool[] | undefined;

  return {
    nameOf,
    effectKindOf,
    offered: () => (definitions ??= [...byName.values()].map(({ tool }) => toOffered(tool, names))),
    async previewChange(call, options) {
      const available = byName.get(nameOf(call.name));
      return available && CHANGES_FILES.has(available.tool.effect)
        ? previewChange(available, call, options, policy)
        : undefined;
    },
    async execute(call, options) {
      const start = monotonicMs();
      const name = nameOf(call.name);
      const outcome = await answerCall(name, call, options);
      if (outcome.kind !== 'done') return outcome;
      const { result, content } = outcome;
      const durationMs = Math.round(monotonicMs() - start);
      const kind = effectKindOf(name);
      const isReadOnly =
        kind === 'external' && byName.get(name)?.tool.isReadOnly ? (true as const) : undefined;
      const effect = { kind, ...(isReadOnly && { isReadOnly }), ...outcome.effect };
      onFact({
        type: 'tool.ended',
        callId: call.id,
        name,
        ...summaryOf(result),
        durationMs,
        content,
        effect,
      });
      return outcome;
    },
  };
}

interface AvailableTool {
  readonly tool: ToolDescription;
  readonly source: ToolSource;
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
  return failure(
    'TOOL_NOT_AVAILABLE',
    `There is no tool "${name.slice(0, 64)}"; use one of ${offered.join(', ')}.`,
  );
}

/** Tools that prepare a change and make it only when it is committed. */
const CHANGES_FILES: ReadonlySet<EffectKind> = new Set(['written', 'patched']);

async function previewChange(
  { tool, source }: AvailableTool,
  call: ToolCall,
  options: ExecuteOptions,
  policy: ToolPolicy,
): Promise<ApprovalRequest | undefined> {
  const { name } = tool;
  const args = await readArguments(tool, call);
  if ('failure' in args) return undefined;
  try {
    const { decidedAt } = options;
    const context = {
      callId: call.id,
      name,
      decidedAt,
      isApproved: false,
      mayAsk: false,
      answers: undefined,
    };
    const reply = await withTimeLimit(policy.toolTimeoutMs, options.signal, (signal) =>
      source.run({ name, arguments: args.value }, { ...context, signal }),
    );
    if (reply.kind !== 'action') return undefined;
    const verdict = await checkConsent(name, reply.prepared, options, policy);
    return verdict?.kind === 'approval' ? verdict : undefined;
  } catch {
    // The call reports the error when it is executed.
    return undefined;
  }
}

async function executeCall(
  { tool, source }: AvailableTool,
  call: ToolCall,
  options: ExecuteOptions,
  { policy, onBug }: ToolHostSources,
): Promise<ToolOutcome> {
  const { name } = tool;
  const args = await readArguments(tool, call);
  if ('failure' in args) return done(name, args.failure);
  // The signal may have aborted while the arguments were read.
  if (options.signal.aborted) return done(name, ABORTED);
  try {
    const externalAction = toExternalAction(tool, args.value);
    // A call that asked a question had consent.
    const verdict =
      externalAction && !options.answers
        ? await checkConsent(name, externalAction, options, policy)
        : undefined;
    if (verdict) return verdict;
    const isApproved =
      options.approval?.isGranted === true &&
      externalAction !== undefined &&
      isFor(options.approval, externalAction.action);
    const run = (signal: AbortSignal, extend: () => void): Promise<ToolAnswer> =>
      source.run(
        { name, arguments: args.value },
        {
          callId: call.id,
          name,
          signal,
          decidedAt: options.decidedAt,
          isApproved,
          // Under autopilot nobody is expected to answer while a server waits.
          mayAsk: policy.approval !== 'autopilot' && options.isAttended !== false,
          answers: options.answers,
          onProgress(progress) {
            extend();
            options.onProgress?.(progress);
          },
        },
      );
    const { toolTimeoutMs } = policy;
    const reply = await withTimeLimit(toolTimeoutMs, options.signal, run, toolTimeoutMs * MAX_EXTENSION);
    return await settle(name, reply, options, policy);
  } catch (error) {
    if (error instanceof TimedOut) {
      const seconds = Math.round(policy.toolTimeoutMs / 1000);
      return done(
        name,
        failure(
          'TOOL_TIMEOUT',
          `"${name}" took longer than ${seconds} s and was stopped; request less at once.`,
        ),
      );
    }
    if (options.signal.aborted) return done(name, tool.effect === 'external' ? STOPPED : ABORTED);
    // Only the user can fix it: the run stops with this error.
    if (error instanceof CrewError) throw error;
    const sentence = errnoSentence(error);
    if (sentence !== undefined)
      return done(name, failure('E_DISK', `"${name}" failed: ${sentence}.`, { errno: errnoOf(error) }));
    const id = randomUUID().slice(0, 8);
    onBug(id, error);
    return done(
      name,
      failure('E_INTERNAL', `"${name}" failed with an internal error (${id}); try another approach.`),
    );
  }
}

async function settle(
  name: string,
  reply: ToolAnswer,
  options: ExecuteOptions,
  policy: ToolPolicy,
): Promise<ToolOutcome> {
  switch (reply.kind) {
    case 'result':
      return done(name, reply.result, reply.effect);
    case 'question':
      return { kind: 'question', name, questions: reply.questions };
    case 'action': {
      const { prepared } = reply;
      const verdict = await checkConsent(name, prepared, options, policy);
      return verdict ?? done(name, await prepared.commit(), prepared.effect);
    }
  }
}

const STOPPED: ToolFailure = failure(
  'ENGINE_ABORTED',
  'The run was stopped during this call; check whether it took effect before you repeat it.',
);

const ABORTED: ToolFailure = failure('ENGINE_ABORTED', 'The run was stopped before this call was executed.');

function toOffered(tool: ToolDescription, names: WireNames): OfferedTool {
  const { name, description } = tool;
  return { name, wireName: names.toWire(name), description, parameters: tool.parameters() };
}
