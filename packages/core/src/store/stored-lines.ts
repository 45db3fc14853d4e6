/** Lines of a cache in the store: appended one after the other, and readable after any crash. May be deleted at any time. */
export interface StoredLines {
  /** Calls back with each line, the incomplete ones of a crash too. */
  read(onLine: (line: string) => void): Promise<void>;
  append(lines: readonly string[]): Promise<void>;
  replace(lines: readonly string[]): Promise<void>;
}
