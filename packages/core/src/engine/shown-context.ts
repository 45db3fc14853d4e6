/**
 * What a model was sent last and what it would be sent next, told from the log alone: a run is opened to be looked at, goes
 * through the same code as one that is driven, and what it says on the way is remembered and written nowhere.
 */
import type { ShownContext } from '@crewagent/protocol/api/shown-context';
import type { EventOf, RunEvent, RunFact } from '@crewagent/protocol/events';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import type { ChatMessage } from '../llm/wire.ts';
import type { PromptMode } from '../prompt/base-rules.ts';
import { composeRequest, requestBytes } from '../prompt/prompt-composer.ts';
import { recordSent, type SentTexts, toShownRequest } from '../prompt/shown-request.ts';
import { announcePosition, promptModeFor, tellMovedFiles } from './announce-position.ts';
import { compactIfNeeded } from './context-room.ts';
import type { EngineSources, EventLog } from './engine-sources.ts';
import { type LiveRun, noteOutsideChanges, openLiveRun, type RunPosition, rulesOf } from './live-run.ts';
import { createMemory, isUnanswered } from './run-memory.ts';
import { abandonOpenCalls } from './tool-round.ts';

export interface LookSources
  extends Pick<
    EngineSources,
    | 'record'
    | 'plan'
    | 'agents'
    | 'background'
    | 'workflow'
    | 'menu'
    | 'files'
    | 'isSecret'
    | 'clock'
    | 'onBug'
  > {
  /** Asked nothing: only its traits count. */
  readonly traits: LLMAdapter['traits'];
  /** Tells what is in the log, in order. */
  readLog(onEvent: (event: RunEvent) => void): Promise<unknown>;
  /** A process works on it: what it is sent next depends on what happens there. */
  readonly isOpen: boolean;
}

interface Sent {
  readonly event: EventOf<'turn.started'>;
  readonly messages: readonly ChatMessage[];
  readonly bytesPerToken: number;
}

export async function showContext(sources: LookSources): Promise<ShownContext> {
  const memory = createMemory();
  const sentTexts: SentTexts = new Map();
  const compactions: ShownContext['compactions'] = [];
  let sent: Sent | undefined;
  const look = (event: RunEvent): void => {
    recordSent(sentTexts, event);
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
      ...OUT_OF_REACH,
      adapter: { traits: sources.traits, chat: outOfReach, close: () => undefined },
      savePhase: () => Promise.resolve(),
      async openLog(onEvent) {
        await sources.readLog((event) => {
          onEvent(event);
          look(event);
        });
        return createUnwrittenLog(sources, (event) => recordSent(sentTexts, event));
      },
    },
    memory,
  );
  const last = sent && toLast(run, sent, sentTexts);
  const frame = await prepareNext(run, sources.isOpen);
  const { messages } = memory.history;
  const rules = rulesOf(run);
  const next = toShownRequest({ frame, messages, rules, sentTexts, bytesPerToken: memory.bytesPerToken });
  const { contextTokens } = sources.traits;
  return { contextTokens, ...(last ? { last } : {}), next, compactions };
}

function toLast(run: LiveRun, { event, messages, bytesPerToken }: Sent, sentTexts: SentTexts) {
  const { turn, nodeId } = event;
  const agentId = event.agentId ?? run.agentOf(nodeId);
  const frame = run.deskOf(agentId).frame(modeOfTurn(run, { nodeId, agentId }));
  const rules = rulesOf(run);
  // Another version of the runtime, or another model, may have been told other rules.
  const isExact = requestBytes(composeRequest(frame, messages, rules)) === event.requestBytes;
  const shown = toShownRequest({ frame, messages, rules, sentTexts, bytesPerToken });
  return { turn, ...shown, ...(isExact ? {} : { isApproximate: true as const }) };
}

/** A run that is complete is at no node. */
function modeOfTurn({ sources }: LiveRun, at: { nodeId: string | undefined; agentId: string }): PromptMode {
  if (sources.plan) return at.nodeId === undefined ? 'completed' : 'run';
  return at.agentId === '' ? 'chat' : 'agent';
}

/** Does what a resume would do before the model is asked. */
async function prepareNext(run: LiveRun, isOpen: boolean) {
  const { memory } = run;
  const rests = !isOpen || memory.phase !== 'Running';
  if (rests && !isUnanswered(memory.pending)) abandonOpenCalls(run);
  const isReady = rests && memory.history.openCalls.length === 0;
  if (isReady) await noteOutsideChanges(run);
  const position = await run.position();
  if (isReady) {
    await announcePosition(run, position, intentOf(run, position));
    tellMovedFiles(run);
  }
  const agentId = run.agentOf(position.isComplete ? undefined : position.nodeId);
  const frame = run.deskOf(agentId).frame(promptModeFor(position, { isClosing: false, agentId }));
  if (isReady) compactIfNeeded(run, frame, undefined);
  return frame;
}

function intentOf({ memory }: LiveRun, { isComplete }: RunPosition) {
  if (isComplete) return 'continue';
  return memory.turn === 0 ? 'start' : 'resume';
}

function createUnwrittenLog(
  { record: { runId }, clock }: LookSources,
  onEvent: (event: RunEvent) => void,
): EventLog {
  // A fact is an event without its stamp.
  const stamp = (fact: RunFact): RunEvent =>
    ({ v: 1, seq: 1, ts: clock.now().toISOString(), runId, ...fact }) as RunEvent;
  return {
    append(fact) {
      const event = stamp(fact);
      onEvent(event);
      return event;
    },
    stamp,
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function outOfReach(): never {
  throw new Error('whoever only looks changes nothing and asks nobody');
}

const OUT_OF_REACH = {
  journal: { begin: outOfReach },
  approvals: { has: outOfReach, add: outOfReach },
} as const;
