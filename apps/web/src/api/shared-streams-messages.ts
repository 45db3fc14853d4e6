/** Messages between a window and the SharedWorker that follows streams for all windows. */

/** Opens a stream. It comes with a port for the stream's messages; any message on it closes the stream. */
export interface OpenStream {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The window is alive while it holds the lock with this name. */
  readonly lock: string;
}

export type StreamMessage =
  /** The stream was opened, or rejected with this text. */
  | { readonly type: 'head'; readonly status: number; readonly text: string }
  | { readonly type: 'piece'; readonly piece: Uint8Array<ArrayBuffer> }
  /** The stream ended. */
  | { readonly type: 'end' };
