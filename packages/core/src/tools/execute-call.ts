/**
 * Executes one call of a tool: consent, the call itself, and consent to the change that it prepared. A change whose files changed
 * after they were compared is prepared again, and asked about.
 */
import { randomUUID } from 'node:crypto';
import type { Answers } from '@crewagent/protocol/answers';
import { isRead, pathsOf } from '@crewagent/protocol/tool-effects';
import type { ToolFailure, ToolProgress } from '@crewagent/protocol/tools';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, errnoSentence } from '../base/errno.ts';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import { type ConsentOptions, checkConsent, isApprovedCall, toExternalAction } from './consent.ts';
import { TimedOut, withTimeLimit } from './time-limit.ts';
import { failure } from './tool.ts';
import { readArguments, subjectOf } from './tool-arguments.ts';
import { toFileFailure } from './tool-failure.ts';
import { type ApprovalRequest, done, type ToolOutcome } from './tool-outcome.ts';
import type { ToolPolicy } from './tool-policy.ts';
import type { PreparedAction, ToolAnswer, ToolDescription, ToolSource } from './tool-source.ts';

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
  /** The result is reported after this: calls that run concurrently are reported in order. */
  readonly reportAfter?: Promise<unknown> | undefined;
  /** Why project files must not be written yet; undefined if they may be. */
  checkWrite?(): Promise<ToolFailure | undefined>;
}

export interface AvailableTool {
  readonly tool: ToolDescription;
  readonly source: ToolSource;
}

interface CallSources {
  readonly policy: ToolPolicy;
  /** Reports an internal error, with the id that was sent to the model. */
  onBug(id: string, error: unknown): void;
}

/** A call that reports progress may take this many times the time limit. */
const MAX_EXTENSION = 6;

/** How often a call is prepared again because its files changed after they were compared. */
const MAX_ATTEMPTS = 3;

export async function executeCall(
  available: AvailableTool,
  call: ToolCall,
  options: ExecuteOptions,
  sources: CallSources,
): Promise<ToolOutcome> {
  const { tool } = available;
  const args = await readArguments(tool, call);
  if ('failure' in args) return done(tool.name, args.failure);
  // The signal may have aborted while the arguments were read.
  if (options.signal.aborted) return done(tool.name, ABORTED);
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptCall(available, { id: call.id, value: args.value }, options, sources.policy);
    } catch (error) {
      const isApproved = options.approval !== undefined;
      // Prepared again, the call is asked about with what has changed.
      if (error instanceof ChangedMeanwhile && isApproved && attempt < MAX_ATTEMPTS) continue;
      return toErrorOutcome(error, tool, call, { options, ...sources });
    }
  }
}

async function attemptCall(
  { tool, source }: AvailableTool,
  { id, value }: { readonly id: string; readonly value: unknown },
  options: ExecuteOptions,
  policy: ToolPolicy,
): Promise<ToolOutcome> {
  const { name } = tool;
  const { approval, answers } = options;
  const isHeld = (await source.heldAction?.(id)) ?? false;
  if (approval?.isHeld && !isHeld) return done(name, LOST);
  // A call that asked a question, or has run, had consent.
  const external = answers || isHeld ? undefined : await toExternalAction(tool, value);
  const verdict = external && (await checkConsent(name, external, options, policy));
  if (verdict) return verdict;
  const run = (signal: AbortSignal, extend: () => void): Promise<ToolAnswer> =>
    source.run(
      { name, arguments: value },
      {
        callId: id,
        name,
        signal,
        decidedAt: options.decidedAt,
        isApproved: external !== undefined && isApprovedCall(approval, external),
        files: external?.files,
        isAttended: options.isAttended,
        rights: options.rights,
        // Under autopilot nobody is expected to answer while a server waits.
        mayAsk: policy.approval !== 'autopilot' && options.isAttended !== false,
        answers,
        onProgress(progress) {
          extend();
          options.onProgress?.(progress);
        },
      },
    );
  const { toolTimeoutMs } = policy;
  const reply = await withTimeLimit(toolTimeoutMs, options.signal, run, toolTimeoutMs * MAX_EXTENSION);
  switch (reply.kind) {
    case 'result':
      return (await checkRead(tool, value, reply, options, policy)) ?? done(name, reply.result, reply.effect);
    case 'question':
      return { kind: 'question', name, questions: reply.questions };
    case 'action':
      return settleAction(tool, reply.prepared, options, policy);
  }
}

/** A denial or a request for approval, if what was read is not declared: the model has not received it yet. */
async function checkRead(
  { name, effect: kind }: ToolDescription,
  args: unknown,
  { result, effect = {} }: Extract<ToolAnswer, { kind: 'result' }>,
  options: ExecuteOptions,
  policy: ToolPolicy,
): Promise<ToolOutcome | undefined> {
  // Names in a folder are no content.
  if (!options.rights || !isRead({ kind }) || kind === 'listed' || !result.ok) return undefined;
  const declared = await options.rights.now();
  const target = pathsOf(effect).find((path) => declared.findUndeclared('read', path));
  if (target === undefined) return undefined;
  const title = `${name} wants to ${kind === 'read' ? 'read' : 'search'} ${target}`;
  const preview = { kind: 'json', text: JSON.stringify(args) } as const;
  const action = { title, target, effect: kind, preview };
  return checkConsent(name, { action, files: [], effect, isNoop: false }, options, policy);
}

async function settleAction(
  { name, effect }: ToolDescription,
  prepared: PreparedAction,
  options: ExecuteOptions,
  policy: ToolPolicy,
): Promise<ToolOutcome> {
  const hasRun = effect === 'external';
  const { approval } = options;
  const early = changesProject(prepared) && !hasRun ? await options.checkWrite?.() : undefined;
  if (early) return done(name, early, prepared.effect);
  // Consent to a command, once or for longer, is not consent to what it changed.
  const consent = hasRun
    ? { ...options, approval: approval?.isHeld ? approval : undefined, isGranted: () => false }
    : options;
  const verdict = await checkConsent(name, prepared, consent, policy);
  switch (verdict?.kind) {
    case 'approval':
      return hasRun ? { ...verdict, action: { ...verdict.action, isOnceOnly: true }, isHeld: true } : verdict;
    case 'done': {
      const { result } = verdict;
      if (!prepared.discard || result.ok) return verdict;
      return done(name, await prepared.discard(result), prepared.effect);
    }
    case undefined: {
      const result = await prepared.commit();
      return done(name, result, prepared.effect);
    }
  }
}

function changesProject({ files, isNoop }: PreparedAction): boolean {
  return !isNoop && files.some(({ path }) => path.startsWith('@project/'));
}

function toErrorOutcome(
  error: unknown,
  { name, effect }: ToolDescription,
  call: ToolCall,
  { options, policy, onBug }: CallSources & { options: ExecuteOptions },
): ToolOutcome {
  if (error instanceof TimedOut) {
    const seconds = Math.round(policy.toolTimeoutMs / 1000);
    const message = `"${name}" took longer than ${seconds} s and was stopped; request less at once.`;
    return done(name, failure('TOOL_TIMEOUT', message));
  }
  if (error instanceof ChangedMeanwhile)
    return done(name, toFileFailure(error, subjectOf(call.arguments) ?? name));
  if (options.signal.aborted) return done(name, effect === 'external' ? STOPPED : ABORTED);
  // Only the user can fix it: the run stops with this error.
  if (error instanceof CrewError) throw error;
  const sentence = errnoSentence(error);
  if (sentence !== undefined)
    return done(name, failure('E_DISK', `"${name}" failed: ${sentence}.`, { errno: errnoOf(error) }));
  const id = randomUUID().slice(0, 8);
  onBug(id, error);
  const message = `"${name}" failed with an internal error (${id}); try another approach.`;
  return done(name, failure('E_INTERNAL', message));
}

const LOST: ToolFailure = failure(
  'ENGINE_ABORTED',
  'This call ran, but the program ended before its changes were approved, and they were not kept. Repeat it if they are needed.',
);

const STOPPED: ToolFailure = failure(
  'ENGINE_ABORTED',
  'The run was stopped during this call; check whether it took effect before you repeat it.',
);

export const ABORTED: ToolFailure = failure(
  'ENGINE_ABORTED',
  'The run was stopped before this call was executed.',
);

/** The file change for which a call would request approval; executes nothing. */
export async function previewChange(
  { tool, source }: AvailableTool,
  call: ToolCall,
  options: ExecuteOptions,
  policy: ToolPolicy,
): Promise<ApprovalRequest | undefined> {
  const { name } = tool;
  const args = await readArguments(tool, call);
  if ('failure' in args) return undefined;
  try {
    const context = { callId: call.id, name, decidedAt: options.decidedAt };
    const reply = await withTimeLimit(policy.toolTimeoutMs, options.signal, (signal) =>
      source.run({ name, arguments: args.value }, { ...context, signal }),
    );
    if (reply.kind !== 'action') return undefined;
    if (changesProject(reply.prepared) && (await options.checkWrite?.())) return undefined;
    const verdict = await checkConsent(name, reply.prepared, options, policy);
    return verdict?.kind === 'approval' ? verdict : undefined;
  } catch {
    // The call reports the error when it is executed.
    return undefined;
  }
}
