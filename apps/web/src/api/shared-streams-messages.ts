/** What a window and the worker that follows streams for all windows say to each other. */

export type ToWorker =
  /** The window is alive for as long as it holds the lock of this name. */
  | { readonly type: 'hello'; readonly lock: string }
  | {
      readonly type: 'open';
      readonly id: number;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly type: 'close'; readonly id: number };

export type FromWorker =
  /** It was opened, or refused with these words. */
  | { readonly type: 'head'; readonly id: number; readonly status: number; readonly words: string }
  | { readonly type: 'piece'; readonly id: number; readonly piece: Uint8Array<ArrayBuffer> }
  /** Nothing follows. */
  | { readonly type: 'end'; readonly id: number };
