/**
 * The text of a reply while it is streamed. It is stored every few seconds, and when the turn ends without a complete reply, so that
 * a stop, a failure or a crash does not lose what a person has already read.
 */
export interface PartialReply {
  add(text: string): void;
  /** The request is sent again: the reply starts over. */
  reset(): void;
  /** Stores the text that is not stored yet. */
  save(): void;
}

export interface PartialReplyOptions {
  readonly monotonicMs: () => number;
  store(text: string): void;
}

const SAVE_EVERY_MS = 2_000;

export function createPartialReply({ monotonicMs, store }: PartialReplyOptions): PartialReply {
  let unsaved = '';
  let savedMs = monotonicMs();
  const save = (): void => {
    if (unsaved === '') return;
    const text = unsaved;
    unsaved = '';
    savedMs = monotonicMs();
    store(text);
  };
  return {
    add(text) {
      unsaved += text;
      if (monotonicMs() - savedMs >= SAVE_EVERY_MS) save();
    },
    reset() {
      unsaved = '';
    },
    save,
  };
}
