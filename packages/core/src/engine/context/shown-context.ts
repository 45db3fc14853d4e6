/**
 * Requests to a model, reconstructed from the log: a run is opened with the code of the engine, and the
 * events it emits are remembered but not written.
 */
import type { RebuiltRequest, ShownContext } from '@crewagent/protocol/api/shown-context';
import type { EventOf, RunEvent, RunFact } from '@crewagent/protocol/events';
import type { LLMAdapter } from '../../llm/llm-adapter.ts';
import { hashedText, hashRequest, requestBytes } from '../../llm/serialise.ts';
import type { ChatMessage } from '../../llm/wire.ts';
import type { PromptMode } from '../../prompt/base-rules.ts';
import { composeRequest } from '../../prompt/prompt-composer.ts';
import { toShownRequest } from '../../prompt/shown-request.ts';
import type { EngineSources, EventLog } from '../engine-sources.ts';
import { type LiveRun, noteOutsideChanges, openLiveRun, rulesOf } from '../live-run.ts';
import { isUnanswered, RunMemory } from '../run-memory.ts';
import type { RunPosition } from '../run-position.ts';
import { smallStepOf } from '../small-profile.ts';
import { abandonOpenCalls } from '../tool-round.ts';
import { announceMovedFiles, announcePosition, promptModeFor } from './announce-position.ts';
import { compactIfNeeded } from './context-room.ts';
import { outlineIfWorthwhile } from './outline-exchanges.ts';
import { toFrame, toSentFrame } from './request-frame.ts';

export interface LookSources
  extends Omit<EngineSources, 'openLog' | 'journal' | 'adapter' | 'approvals' | 'savePhase'> {
  /** Only its traits are used; no request is sent. */
  readonly traits: LLMAdapter['traits'];
  /** Reports the events of the log in order. */
  readLog(onEvent: (event: RunEvent) => void): Promise<unknown>;
  /** A process has it open: the next request depends on what happens there. */
  readonly isOpen: boolean;
}

interface Sent {
  readonly event: EventOf<'turn.started'>;
  readonly messages: readonly ChatMessage[];
  readonly bytesPerToken: number;
}

export async function showContext(sources: LookSources): Promise<ShownContext> {
  const memory = new RunMemory();
  const compactions: ShownContext['compactions'] = [];
  let sent: Sent | undefined;
  const run = await openReadOnly(sources, memory, (event) => {
    if (event.type === 'turn.started') sent = toSent(memory, event);
    if (event.type === 'context.compacted') {
      const { ts: at, outcome, tokensBefore, tokensAfter } = event;
      compactions.push({ at, outcome, tokensBefore, tokensAfter });
    }
  });
  const last = sent && toLast(run, sent);
  const frame = await prepareNext(run, sources.isOpen);
  const { messages } = memory.history;
  const rules = rulesOf(run);
  const next = toShownRequest({ frame, messages, rules, bytesPerToken: memory.bytesPerToken });
  const { contextTokens } = sources.traits;
  return { contextTokens, ...(last ? { last } : {}), next, compactions };
}

/** The request of a turn, and the text whose SHA-256 the log has; undefined if there was no such turn. */
export async function rebuildRequest(
  sources: LookSources,
  turn: number,
): Promise<{ readonly shown: RebuiltRequest; readonly body: string } | undefined> {
  const memory = new RunMemory();
  let sent: Sent | undefined;
  const run = await openReadOnly(sources, memory, (event) => {
    if (event.type === 'turn.started' && event.turn === turn) sent = toSent(memory, event);
  });
  if (!sent) return undefined;
  const { event, messages, bytesPerToken } = sent;
  const { frame, rules, request } = toRequest(run, sent);
  const { nodeId, agentId, ts: at, requestSha256: sha256 } = event;
  const isProved = sha256 === undefined ? undefined : hashRequest(request) === sha256;
  return {
    shown: {
      ...toShownRequest({ frame, messages, rules, bytesPerToken }),
      turn,
      turns: memory.turn,
      at,
      nodeId,
      agentId,
      bytes: requestBytes(request),
      sha256,
      isProved,
    },
    body: hashedText(request).toString('utf8'),
  };
}

/** Whether each request is what the log says was sent, by turn, in one pass over the log. */
export interface RequestProofs {
  readonly proved: readonly number[];
  /** Their frame is not in the log, or they differ. */
  readonly unproved: readonly number[];
  /** Of logs that have no hashes. */
  readonly unhashed: readonly number[];
  /** Approvals that hold for later calls. */
  readonly grants: number;
}

export async function proveRequests(sources: LookSources): Promise<RequestProofs> {
  const memory = new RunMemory();
  const proofs = { proved: [] as number[], unproved: [] as number[], unhashed: [] as number[] };
  await openReadOnly(sources, memory, (event) => {
    if (event.type !== 'turn.started') return;
    const { turn, frameId = '', requestSha256 } = event;
    const frame = memory.frames.get(frameId);
    const isProved =
      frame !== undefined &&
      hashRequest(composeRequest(toFrame(frame), memory.history.messages, frame.rules)) === requestSha256;
    (requestSha256 === undefined ? proofs.unhashed : isProved ? proofs.proved : proofs.unproved).push(turn);
  });
  return { ...proofs, grants: memory.grants.length };
}

function toSent({ history, bytesPerToken }: RunMemory, event: EventOf<'turn.started'>): Sent {
  return { event, messages: [...history.messages], bytesPerToken };
}

/** Opens a run without a model, a journal and a log to write to. */
function openReadOnly(
  sources: LookSources,
  memory: RunMemory,
  observe: (event: RunEvent) => void,
): Promise<LiveRun> {
  return openLiveRun(
    {
      ...sources,
      ...UNAVAILABLE,
      adapter: { traits: sources.traits, chat: unavailable, close: () => undefined },
      savePhase: () => Promise.resolve(),
      async openLog(onEvent) {
        await sources.readLog((event) => {
          onEvent(event);
          observe(event);
        });
        return createReadOnlyLog(sources);
      },
    },
    memory,
  );
}

function toLast(run: LiveRun, sent: Sent) {
  const { frame, rules, request } = toRequest(run, sent);
  const { messages, bytesPerToken, event } = sent;
  // It may have been sent by a version of the runtime that did not record the frame.
  const isExact = requestBytes(request) === event.requestBytes;
  const shown = toShownRequest({ frame, messages, rules, bytesPerToken });
  return { turn: event.turn, ...shown, ...(isExact ? {} : { isApproximate: true as const }) };
}

function toRequest(run: LiveRun, { event, messages }: Sent) {
  const { nodeId, frameId = '' } = event;
  const agentId = event.agentId ?? run.agentOf(nodeId);
  const current = run
    .toolkitOf(agentId)
    .frame(modeOfTurn(run, { nodeId, agentId }), smallStepOf(run.memory, run.sources.adapter.traits));
  const recorded = run.memory.frames.get(frameId);
  const frame = toSentFrame(recorded, current);
  const rules = recorded?.rules ?? rulesOf(run);
  return { frame, rules, request: composeRequest(frame, messages, rules) };
}

/** A complete run has no node. */
function modeOfTurn({ sources }: LiveRun, at: { nodeId: string | undefined; agentId: string }): PromptMode {
  if (sources.plan) return at.nodeId === undefined ? 'completed' : 'run';
  return at.agentId === '' ? 'chat' : 'agent';
}

/** The same steps as a resume before its request. */
async function prepareNext(run: LiveRun, isOpen: boolean) {
  const { memory } = run;
  const isIdle = !isOpen || memory.phase !== 'Running';
  if (isIdle && !isUnanswered(memory.pending)) abandonOpenCalls(run);
  const isReady = isIdle && memory.history.openCalls.length === 0;
  if (isReady) await noteOutsideChanges(run);
  const position = await run.position();
  if (isReady) {
    await announcePosition(run, position, intentOf(run, position));
    announceMovedFiles(run);
  }
  const agentId = run.agentOf(position.isComplete ? undefined : position.nodeId);
  const mode = promptModeFor(position, { isClosing: false, agentId });
  const frame = run.toolkitOf(agentId).frame(mode, smallStepOf(run.memory, run.sources.adapter.traits));
  if (isReady) {
    outlineIfWorthwhile(run, frame);
    compactIfNeeded(run, frame, undefined);
  }
  return frame;
}

function intentOf({ memory }: LiveRun, { isComplete }: RunPosition) {
  if (isComplete) return 'continue';
  return memory.turn === 0 ? 'start' : 'resume';
}

function createReadOnlyLog({ record: { runId }, clock }: LookSources): EventLog {
  // A fact is an event without number and date.
  const stamp = (fact: RunFact): RunEvent =>
    ({ v: 1, seq: 1, ts: clock.now().toISOString(), runId, ...fact }) as RunEvent;
  return {
    append: stamp,
    stamp,
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function unavailable(): never {
  throw new Error('not available in a read-only view');
}

const UNAVAILABLE = {
  journal: { begin: unavailable, beginAll: unavailable, list: () => [] },
  approvals: { has: unavailable, add: unavailable },
} as const;
