/** Messages between a window and the SharedWorker that follows streams for all windows. */

export type ToWorker =
  /** The window is alive while it holds the lock with this name. */
  | { readonly type: 'hello'; readonly lock: string }
  | {
      readonly type: 'open';
      readonly id: number;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly type: 'close'; readonly id: number };

export type FromWorker =
  /** The stream was opened, or rejected with this text. */
  | { readonly type: 'head'; readonly id: number; readonly status: number; readonly text: string }
  | { readonly type: 'piece'; readonly id: number; readonly piece: Uint8Array<ArrayBuffer> }
  /** The stream ended. */
  | { readonly type: 'end'; readonly id: number };
