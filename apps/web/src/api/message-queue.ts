/** Merges messages of several sources in arrival order, for one reader. */
export interface MessageQueue<T> {
  readonly push: (message: T) => void;
  /** Ends the queue; an error is thrown to the reader after the remaining messages. */
  readonly end: (error?: unknown) => void;
  readonly read: () => AsyncGenerator<T, void>;
}

export function createMessageQueue<T>(): MessageQueue<T> {
  const messages: T[] = [];
  let ended: { readonly error: Error | undefined } | undefined;
  let wake = (): void => undefined;
  return {
    push: (message) => {
      messages.push(message);
      wake();
    },
    end: (error) => {
      ended ??= { error: error === undefined ? undefined : toError(error) };
      wake();
    },
    async *read() {
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

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
