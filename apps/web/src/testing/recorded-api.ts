/** A `WorkApi` that replays a log and records what it is sent. */
import { isDelta } from '@crewagent/protocol/event-kinds';
import type { RunEvent } from '@crewagent/protocol/events';
import { foldStory } from '@crewagent/protocol/story/fold-story';
import { toPage } from '@crewagent/protocol/story/pages';
import type { WorkApi } from '../api/work-api.ts';
import type { StoryMessage } from '../state/conversation-store.ts';

export interface RecordedApi extends WorkApi {
  readonly sent: readonly unknown[][];
  /** Emits one more message. */
  readonly tell: (message: StoryMessage) => void;
}

export function createRecordedApi(log: readonly RunEvent[], files: readonly string[] = []): RecordedApi {
  const sent: unknown[][] = [];
  const listeners = new Set<(message: StoryMessage) => void>();
  const record =
    (name: string) =>
    (...args: readonly unknown[]): Promise<void> => {
      sent.push([name, ...args.slice(1)]);
      return Promise.resolve();
    };
  return {
    sent,
    tell: (message) => {
      for (const listener of listeners) listener(message);
    },
    async *follow(_, { signal, onState }) {
      onState('open');
      const queue: StoryMessage[] = log.map((data) => ({ type: 'event', data }));
      let wake = (): void => undefined;
      const listen = (message: StoryMessage): void => {
        queue.push(message);
        wake();
      };
      listeners.add(listen);
      signal.addEventListener('abort', () => wake());
      while (!signal.aborted) {
        yield* queue.splice(0);
        if (signal.aborted) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      listeners.delete(listen);
    },
    log: (workId, after) => {
      const own = log.filter((event) => event.runId === workId && !isDelta(event));
      return Promise.resolve({ events: own.filter(({ seq }) => seq > after), lastSeq: own.at(-1)?.seq ?? 0 });
    },
    earlier: (workId, before, limit) => {
      const own = log.filter(({ runId }) => runId === workId);
      return Promise.resolve(toPage(foldStory(workId, own), before, limit));
    },
    input: record('input'),
    withdraw: record('withdraw'),
    stop: record('stop'),
    stopQuestion: record('stopQuestion'),
    resume: record('resume'),
    waive: record('waive'),
    answer: record('answer'),
    approve: record('approve'),
    findFiles: (_, query) => Promise.resolve(files.filter((file) => file.includes(query))),
  };
}
