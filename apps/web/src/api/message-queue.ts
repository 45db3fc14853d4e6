/** Messages of several sources in the order they came, for one reader. */
export interface MessageQueue<T> {
  readonly push: (message: T) => void;
  /** Nothing comes any more; with an error the reader is told it after what came before. */
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
