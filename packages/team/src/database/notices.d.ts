import pg from 'pg';
export interface Notices {
  /** `onNotice` gets the text, or undefined if some may be lost. Returns a function that ends it. */
  subscribe(channel: string, onNotice: (text: string | undefined) => void): () => void;
  close(): Promise<void>;
}
export declare function createNotices(settings: pg.ClientConfig): Notices;
