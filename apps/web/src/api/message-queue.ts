/** Merges messages of several sources in arrival order, for one reader. */
import { toError } from '../ui/errors/error-texts.ts';

export type MessageQueue<T> = ReturnType<typeof createMessageQueue<T>>;

export function createMessageQueue<T>() {
  const messages: T[] = [];
  let ended: { readonly error: Error | undefined } | undefined;
  let wake = (): void => undefined;
  return {
    push: (message: T): void => {
      messages.push(message);
      wake();
    },
    /** Ends the queue; an error is thrown to the reader after the remaining messages. */
    end: (error?: unknown): void => {
      ended ??= { error: error === undefined ? undefined : toError(error) };
      wake();
    },
    async *read(): AsyncGenerator<T, void> {
      while (true) {
        yield* messages.splice(0);
        if (messages.length > 0) continue;
        if (ended) {
          if (ended.error) throw ended.error;
          return;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
