/** A store of objects by name, outside of the database: for large contents. */
export interface ObjectStore {
  put(name: string, content: Uint8Array): Promise<void>;
  /** Undefined if there is none. */
  get(name: string): Promise<Buffer | undefined>;
  /** Not an error if there is none. */
  remove(name: string): Promise<void>;
}
