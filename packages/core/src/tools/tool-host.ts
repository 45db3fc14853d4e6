/**
 * Runs the tool calls of a model: known, allowed, arguments valid, consent given, time bounded, answer bounded.
 * Whatever is asked, exactly one outcome comes back; what only a person can mend is thrown, as a CrewError.
 */
import { randomUUID } from 'node:crypto';
import { isFileAction } from '@crewagent/protocol/described-actions';
import type { ErrorCode } from '@crewagent/protocol/errors';
import { effectKindOf as knownEffectOf } from '@crewagent/protocol/tool-effects';
import type {
  DescribedAction,
  EffectKind,
  Question,
  RunsLater,
  ToolEffect,
  ToolFailure,
  ToolResult,
} from '@crewagent/protocol/tools';
import { CrewError } from '../base/crew-error.ts';
import { readArguments } from './read-arguments.ts';
import { TimedOut, withTimeLimit } from './time-limit.ts';
import { failure } from './tool.ts';
import { isOffered, needsApproval, serversOf, type ToolPolicy } from './tool-policy.ts';
import type { EffectFacts, PreparedAction, ToolAnswer, ToolDescription, ToolSource } from './tool-source.ts';
import { createWireNames, type WireNames } from './wire-names.ts';

export interface ToolCall {
  readonly id: string;
  /** In either spelling. */
  readonly name: string;
  /** JSON text as the model wrote it. */
  readonly arguments: string;
  /** The reply ended in the middle of this call. */
  readonly isCutOff?: boolean;
}

export type ToolOutcome =
  | DoneCall
  /** An action waits for a person's consent: call again with `approval` once that is there. */
  | {
      readonly kind: 'approval';
      readonly name: string;
      readonly action: DescribedAction;
      readonly runsLater?: RunsLater;
    }
  | { readonly kind: 'question'; readonly name: string; readonly questions: readonly Question[] };

interface DoneCall {
  readonly kind: 'done';
  readonly name: string;
  readonly result: ToolResult;
  readonly content: string;
  readonly effect: EffectFacts;
}

export interface ExecuteOptions {
  readonly signal: AbortSignal;
  /** The node that the reply was decided in; '' where the model had the brief of none. */
  readonly decidedAt?: string;
  /** A person's answer to an earlier `approval` outcome; a yes holds for the preview they saw and for no other. */
  readonly approval?: { readonly isGranted: boolean; readonly preview: string; readonly note?: string };
  /** Standing consent: this node, this run, always. */
  isGranted?(tool: string, target: string): boolean | Promise<boolean>;
}

export interface OfferedTool {
  readonly name: string;
  readonly wireName: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** One line of the audit for every call that was answered, refused ones too. */
export interface CallFact {
  readonly type: 'tool.ended';
  readonly callId: string;
  readonly name: string;
  readonly outcome: 'ok' | 'failed' | 'refused';
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly durationMs: number;
  /** What the model is told. */
  readonly content: string;
  readonly effect: ToolEffect;
}

export interface ToolHost {
  /** What the model is told of, in a fixed order. */
  offered(): readonly OfferedTool[];
  /** The name people see for a tool as the model spelt it. */
  nameOf(spelling: string): string;
  /** What calls of a tool are for; `none` where there is no such tool. */
  effectKindOf(name: string): EffectKind;
  execute(call: ToolCall, options: ExecuteOptions): Promise<ToolOutcome>;
}

export interface ToolHostSources {
  readonly sources: readonly ToolSource[];
  readonly policy: ToolPolicy;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
  onFact(fact: CallFact): void;
  /** A bug of ours, with the id the model was told. */
  onBug(id: string, error: unknown): void;
}

const MAX_CONTENT_CHARS = 131_072;

export function createToolHost(sources: ToolHostSources): ToolHost {
  const { policy, monotonicMs, onFact } = sources;
  const byName = toAvailable(sources.sources, policy);
  const names = createWireNames([...byName.keys()]);
  const nameOf = (spelling: string): string => names.fromWire(spelling) ?? spelling;
  const effectKindOf = (name: string): EffectKind => byName.get(name)?.tool.effect ?? knownEffectOf(name);
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

/** What the policy allows, in the order of the sources. */
function toAvailable(sources: readonly ToolSource[], policy: ToolPolicy): ReadonlyMap<string, AvailableTool> {
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

async function executeCall(
  { tool, source }: AvailableTool,
  call: ToolCall,
  options: ExecuteOptions,
  { policy, onBug }: ToolHostSources,
): Promise<ToolOutcome> {
  const { name } = tool;
  const args = await readArguments(tool, call);
  if ('failure' in args) return done(name, args.failure);
  // An abort before the time limit listens would not be heard.
  if (options.signal.aborted) return done(name, ABORTED);
  try {
    const asked = toBlindAction(tool, args.value);
    const verdict = asked && (await findVerdict(name, asked, options, policy));
    if (verdict) return verdict;
    const reply = await withTimeLimit(policy.toolTimeoutMs, options.signal, (signal) =>
      source.run(
        { name, arguments: args.value },
        { callId: call.id, name, signal, decidedAt: options.decidedAt },
      ),
    );
    return await settle(name, reply, options, policy);
  } catch (error) {
    if (error instanceof TimedOut) {
      const seconds = Math.round(policy.toolTimeoutMs / 1000);
      return done(
        name,
        failure(
          'TOOL_TIMEOUT',
          `"${name}" took longer than ${seconds} s and was stopped; ask for less at once.`,
        ),
      );
    }
    if (options.signal.aborted) return done(name, ABORTED);
    // Only a person can mend it: the run stops here and says so.
    if (error instanceof CrewError) throw error;
    const id = randomUUID().slice(0, 8);
    onBug(id, error);
    return done(
      name,
      failure('E_INTERNAL', `"${name}" failed for a reason of the runtime's own (${id}); try another way.`),
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
      const verdict = await findVerdict(name, prepared, options, policy);
      return verdict ?? done(name, await prepared.commit(), prepared.effect);
    }
  }
}

type ConsentRequest = Pick<PreparedAction, 'action' | 'effect' | 'runsLater' | 'isNoop'> & {
  /** Also under a preset that asks for nothing. */
  readonly mustAsk?: boolean;
};

/** What is done outside of the project cannot be prepared: the call itself is what a person is asked about. */
function toBlindAction(tool: ToolDescription, args: unknown): ConsentRequest | undefined {
  const { name, server, effect, isReadOnly, mustAsk = false, consentTarget } = tool;
  if (effect !== 'external' || isReadOnly) return undefined;
  const preview = { kind: 'json', text: JSON.stringify(args) } as const;
  const title = `${name} wants to run${server === undefined ? '' : ` on ${server}`}`;
  const target = consentTarget ?? server ?? name;
  return { action: { title, target, effect, preview }, effect: {}, isNoop: false, mustAsk };
}

/** A refusal, or that a person must be asked; undefined where the action may be done. */
async function findVerdict(
  name: string,
  { action, effect, runsLater, isNoop, mustAsk = false }: ConsentRequest,
  { approval, isGranted }: ExecuteOptions,
  policy: ToolPolicy,
): Promise<ToolOutcome | undefined> {
  if (approval?.isGranted === false) return done(name, refusedBy(action, approval.note), effect);
  const isAllowed =
    approval?.preview === action.preview.text ||
    isNoop ||
    (runsLater === undefined &&
      ((!mustAsk && !needsApproval(action, policy)) || (await isGranted?.(name, action.target)) === true));
  return isAllowed ? undefined : { kind: 'approval', name, action, ...(runsLater ? { runsLater } : {}) };
}

function refusedBy(action: DescribedAction, note: string | undefined): ToolFailure {
  const what = isFileAction(action) ? `change to "${action.target}"` : `call of "${action.target}"`;
  const said = note ? ` They said: ${note}` : '';
  return failure('TOOL_REFUSED', `The person refused this ${what}.${said} Do not repeat it as it is.`);
}

const ABORTED: ToolFailure = failure('ENGINE_ABORTED', 'The run was stopped before this call was made.');

function done(name: string, result: ToolResult, effect: EffectFacts = {}): DoneCall {
  const content = JSON.stringify(result);
  if (content.length <= MAX_CONTENT_CHARS) return { kind: 'done', name, result, content, effect };
  const bounded: ToolResult = {
    ok: true,
    truncated: true,
    preview: content.slice(0, MAX_CONTENT_CHARS / 4),
    hint: `The answer had ${content.length} characters; ask for less at once.`,
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
