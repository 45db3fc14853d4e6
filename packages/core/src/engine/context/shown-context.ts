/**
 * The last and the next request to a model, reconstructed from the log: a run is opened with the code of the engine, and the
 * events it emits are remembered but not written.
 */
import type { ShownContext } from '@crewagent/protocol/api/shown-context';
import type { EventOf, RunEvent, RunFact } from '@crewagent/protocol/events';
import type { LLMAdapter } from '../../llm/llm-adapter.ts';
import { requestBytes } from '../../llm/serialise.ts';
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
  const observe = (event: RunEvent): void => {
    if (event.type === 'turn.started')
      sent = { event, messages: [...memory.history.messages], bytesPerToken: memory.bytesPerToken };
    if (event.type === 'context.compacted') {
      const { ts: at, outcome, tokensBefore, tokensAfter } = event;
      compactions.push({ at, outcome, tokensBefore, tokensAfter });
    }
  };
  const run = await openLiveRun(
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
  const last = sent && toLast(run, sent);
  const frame = await prepareNext(run, sources.isOpen);
  const { messages } = memory.history;
  const rules = rulesOf(run);
  const next = toShownRequest({ frame, messages, rules, bytesPerToken: memory.bytesPerToken });
  const { contextTokens } = sources.traits;
  return { contextTokens, ...(last ? { last } : {}), next, compactions };
}

function toLast(run: LiveRun, { event, messages, bytesPerToken }: Sent) {
  const { turn, nodeId } = event;
  const agentId = event.agentId ?? run.agentOf(nodeId);
  const frame = run
    .toolkitOf(agentId)
    .frame(modeOfTurn(run, { nodeId, agentId }), smallStepOf(run.memory, run.sources.adapter.traits));
  const rules = rulesOf(run);
  // It may have been sent by another version of the runtime, or to a model with other rules.
  const isExact = requestBytes(composeRequest(frame, messages, rules)) === event.requestBytes;
  const shown = toShownRequest({ frame, messages, rules, bytesPerToken });
  return { turn, ...shown, ...(isExact ? {} : { isApproximate: true as const }) };
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
  journal: { begin: unavailable, list: () => [] },
  approvals: { has: unavailable, add: unavailable },
} as const;
