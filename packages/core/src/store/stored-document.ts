/**
 * The port to one JSON document of a user: settings, projects, secrets. `disk` keeps it in a file, `memory` in this process.
 * Types only.
 */
export interface StoredDocument {
  /** Where the document is, for people: on disk the path of its file. */
  readonly label: string;
  /** Undefined if it was never written. Throws STORE_DAMAGED if it is not JSON. */
  read(): Promise<unknown>;
  /** Runs `work` while nobody else changes the document, in any process. */
  change<T>(work: (write: (value: unknown) => Promise<void>) => Promise<T>): Promise<T>;
  /** Runs `work`, which must be short, while nobody can change the document. Throws errors of `work` unchanged. */
  hold<T>(work: () => Promise<T>): Promise<T>;
}
