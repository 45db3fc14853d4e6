/**
 * Executes the model's tool calls: checks name, policy, arguments and consent, and bounds time and result size. Every
 * call has exactly one outcome; an error that only the user can fix is thrown as CrewError.
 */
import { randomUUID } from 'node:crypto';
import type { Answers } from '@crewagent/protocol/answers';
import { isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import type { ErrorCode } from '@crewagent/protocol/errors';
import { effectKindOf as builtinEffectKindOf } from '@crewagent/protocol/tool-effects';
import type {
  ApprovalPreset,
  DescribedAction,
  EffectKind,
  Question,
  RunsLater,
  ToolEffect,
  ToolFailure,
  ToolProgress,
  ToolResult,
} from '@crewagent/protocol/tools';
import { CrewError } from '../base/crew-error.ts';
import { errnoSentence } from '../base/errno.ts';
import { readArguments } from './read-arguments.ts';
import { TimedOut, withTimeLimit } from './time-limit.ts';
import { failure } from './tool.ts';
import { isOffered, needsApproval, serversOf, type ToolPolicy } from './tool-policy.ts';
import type { EffectFacts, PreparedAction, ToolAnswer, ToolDescription, ToolSource } from './tool-source.ts';
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

export type ToolOutcome =
  | DoneCall
  | ApprovalRequest
  | { readonly kind: 'question'; readonly name: string; readonly questions: readonly Question[] };

/** The action needs the user's consent: execute the call again with `approval`. */
export interface ApprovalRequest {
  readonly kind: 'approval';
  readonly name: string;
  readonly action: DescribedAction;
  readonly runsLater?: RunsLater;
}

interface DoneCall {
  readonly kind: 'done';
  readonly name: string;
  readonly result: ToolResult;
  readonly content: string;
  readonly effect: EffectFacts;
}

export interface ExecuteOptions {
  readonly signal: AbortSignal;
  /** The node in which the model decided on this call; '' if it had no node brief. */
  readonly decidedAt?: string;
  /** The user's answer to an earlier `approval` outcome; valid only for the preview that was shown. */
  readonly approval?: { readonly isGranted: boolean; readonly preview: string; readonly note?: string };
  /** Answers to the questions of this call, if it asked some while it was in progress. */
  readonly answers?: Answers | undefined;
  /** Consent that was given for longer: for the node, the run, or always. */
  isGranted?(tool: string, target: string): boolean | Promise<boolean>;
  /** The approval preset at the time of the call; undefined: that of the policy. */
  presetNow?(): Promise<ApprovalPreset | undefined>;
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

/** Audit record of every answered call, including rejected calls. */
export interface CallFact {
  readonly type: 'tool.ended';
  readonly callId: string;
  readonly name: string;
  readonly outcome: 'ok' | 'failed' | 'refused';
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly durationMs: number;
  /** Result as sent to the model. */
  readonly content: string;
  readonly effect: ToolEffect;
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

const MAX_CONTENT_CHARS = 131_072;
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
      const effect = { kind: effectKindOf(name), ...outcome.effect };
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
      options.approval.preview === externalAction?.action.preview.text;
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
    if (sentence !== undefined) return done(name, failure('E_DISK', `"${name}" failed: ${sentence}.`));
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

type ConsentRequest = Pick<PreparedAction, 'action' | 'effect' | 'runsLater' | 'isNoop'> & {
  /** Ask even under the `autopilot` preset. */
  readonly mustAsk?: boolean;
  /** Allowed by a rule of a person. */
  readonly isAllowed?: boolean;
};

/** An action outside the project has no preview, so the user is asked about the call itself. */
function toExternalAction(tool: ToolDescription, args: unknown): ConsentRequest | undefined {
  const { name, server, effect, isReadOnly } = tool;
  if (effect !== 'external' || isReadOnly) return undefined;
  const preview = { kind: 'json', text: JSON.stringify(args) } as const;
  const { title, target, mustAsk, isOnceOnly, isAllowed } = tool.consentFor?.(args) ?? {
    title: `${name} wants to run${server === undefined ? '' : ` on ${server}`}`,
    target: tool.consentTarget ?? server ?? name,
    mustAsk: tool.mustAsk ?? false,
    isOnceOnly: false,
    isAllowed: false,
  };
  const action = { title, target, effect, preview, ...(isOnceOnly ? { isOnceOnly: true as const } : {}) };
  return { action, effect: {}, isNoop: false, mustAsk, isAllowed };
}

/** A denial or a request for approval; undefined if the action may be performed. */
async function checkConsent(
  name: string,
  { action, effect, runsLater, isNoop, mustAsk = false, isAllowed: isRuled = false }: ConsentRequest,
  { approval, isGranted, presetNow }: ExecuteOptions,
  policy: ToolPolicy,
): Promise<ToolOutcome | undefined> {
  const preset = (await presetNow?.()) ?? policy.approval;
  if (preset === 'read-only') return done(name, READ_ONLY, effect);
  if (approval?.isGranted === false) return done(name, toDenial(action, approval.note), effect);
  const isAllowed =
    approval?.preview === action.preview.text ||
    isNoop ||
    isRuled ||
    (!isOnceOnly({ action, runsLater }) &&
      ((!mustAsk && !needsApproval(action, { ...policy, approval: preset })) ||
        (await isGranted?.(name, action.target)) === true));
  return isAllowed ? undefined : { kind: 'approval', name, action, ...(runsLater ? { runsLater } : {}) };
}

function toDenial(action: DescribedAction, note: string | undefined): ToolFailure {
  const what = isFileAction(action) ? `change to "${action.target}"` : `call to "${action.target}"`;
  const said = note ? ` Their note: ${note}` : '';
  return failure('TOOL_REFUSED', `The user denied this ${what}.${said} Do not repeat it unchanged.`);
}

const READ_ONLY: ToolFailure = failure(
  'TOOL_REFUSED',
  'The user allows reading only, from now on; nothing was changed.',
);

const STOPPED: ToolFailure = failure(
  'ENGINE_ABORTED',
  'The run was stopped during this call; check whether it took effect before you repeat it.',
);

const ABORTED: ToolFailure = failure('ENGINE_ABORTED', 'The run was stopped before this call was executed.');

function done(name: string, result: ToolResult, effect: EffectFacts = {}): DoneCall {
  const content = JSON.stringify(result);
  if (content.length <= MAX_CONTENT_CHARS) return { kind: 'done', name, result, content, effect };
  const bounded: ToolResult = {
    ok: true,
    truncated: true,
    preview: content.slice(0, MAX_CONTENT_CHARS / 4),
    hint: `The result had ${content.length} characters; request less at once.`,
  };
  return { kind: 'done', name, result: bounded, content: JSON.stringify(bounded), effect };
}

function summaryOf(result: ToolResult): Pick<CallFact, 'outcome' | 'code' | 'message'> {
  if (result.ok) return { outcome: 'ok' };
  const { code, message } = result.error;
  const isRefusal = [
    'E_SANDBOX_VIOLATION',
    'TOOL_NOT_AVAILABLE',
    'TOOL_REFUSED',
    'E_INVALID_TRANSITION',
    'E_NODE_CHANGED',
    'E_STEP_NOT_ACTIVE',
    'E_OUTPUTS_MISSING',
  ].includes(code);
  return { outcome: isRefusal ? 'refused' : 'failed', code, message };
}

function toOffered(tool: ToolDescription, names: WireNames): OfferedTool {
  const { name, description } = tool;
  return { name, wireName: names.toWire(name), description, parameters: tool.parameters() };
}
