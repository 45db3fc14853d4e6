/** Emits the events of a run: stores each fact in the log, adds it to the memory, and notifies the listeners. */
import { isDelta, isInput } from '@crewagent/protocol/event-kinds';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { CrewError } from '../base/crew-error.ts';
import type { KeyGuard } from '../llm/key-guard.ts';
import { maskIn } from '../mounts/sensitive/hidden-values.ts';
import type { HistoryOptions } from '../prompt/history.ts';
import type { EngineSources, EventLog } from './engine-sources.ts';
import { remember } from './remember.ts';
import type { RunMemory } from './run-memory.ts';

export type RunEvents = ReturnType<typeof createRunEvents>;

export function createRunEvents(
  { openLog, onEvent, onBug }: Pick<EngineSources, 'openLog' | 'onEvent' | 'onBug'>,
  { memory, keys, history }: { memory: RunMemory; keys: KeyGuard; history: HistoryOptions },
) {
  const listeners = new Set<(event: RunEvent) => void>(onEvent ? [onEvent] : []);
  let log: EventLog | undefined;
  let logError: CrewError | undefined;
  let lastSeq = 0;
  let inputSeq = 0;
  let savedSeq = 0;

  const requireLog = (): EventLog => {
    if (!log) throw new Error('the log of the run is not open');
    return log;
  };
  const store = (fact: RunFact): RunEvent => {
    try {
      const event = requireLog().append(fact);
      lastSeq = event.seq;
      if (isInput(fact)) inputSeq = lastSeq;
      remember(memory, event, history);
      return event;
    } catch (error) {
      if (error instanceof CrewError) logError = error;
      throw error;
    }
  };
  /** Forwards an event, also one of a called run. */
  const relay = (event: RunEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        // An error in a listener must not stop the run.
        onBug('listener', error);
      }
    }
  };
  const emit = (given: RunFact): RunEvent => {
    const withoutKeys = keys.hide(given);
    const fact = FROM_OUTSIDE.has(given.type) ? maskIn(withoutKeys) : withoutKeys;
    const event = isDelta(fact) ? requireLog().stamp(fact) : store(fact);
    relay(event);
    return event;
  };
  return {
    /** Reads the log into the memory; call it once, before the first `emit`. */
    async open(): Promise<EventLog> {
      let damaged = 0;
      log = await openLog((event) => {
        try {
          remember(memory, event, history);
        } catch (error) {
          // A line was tampered with; the position is read from the state document.
          if (!(error instanceof TypeError)) throw error;
          damaged++;
        }
      });
      if (damaged > 0) emit({ type: 'warning', code: 'LOG_DAMAGED', message: LOG_DAMAGED });
      return log;
    },
    emit,
    relay,
    subscribe(listener: (event: RunEvent) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** When this resolves, messages, answers and decisions of the person survive a power loss. */
    async saveInput(): Promise<void> {
      while (savedSeq < inputSeq) {
        const written = lastSeq;
        await requireLog().sync();
        savedSeq = Math.max(savedSeq, written);
      }
    },
    /** Throws if the log could not be written: the run must not continue then. */
    checkLog(): void {
      if (logError) throw logError;
    },
    /** Allows another attempt to write the log. */
    clearLogError(): void {
      logError = undefined;
    },
  };
}

/**
 * Facts with texts of programs and servers. Results of tools are masked by the tool host; the words of people and models
 * are not, because the calls in them must still be executable after a restart.
 */
const FROM_OUTSIDE: ReadonlySet<RunFact['type']> = new Set([
  'tool.progress',
  'phase.changed',
  'llm.retry',
  'warning',
  'error',
]);

const LOG_DAMAGED =
  'Part of the log of this run is damaged and was skipped; the run continues from its state document.';
