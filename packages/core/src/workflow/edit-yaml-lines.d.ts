/**
 * Small edits to plain YAML frontmatter by lines: only lines that say something new are written. Each edit gives the new
 * text, or undefined where the document is not written plainly enough to be sure. Pure.
 */
export interface YamlLines {
  /** The frontmatter with its fences. */
  readonly text: string;
}
/** Appends to a top-level list, which may be absent, empty, in flow or in block style. */
export declare function appendItems(
  document: YamlLines,
  key: string,
  items: readonly unknown[],
  count: number,
): YamlLines | undefined;
/** Gives a top-level key a one-line value. */
export declare function replaceValue(document: YamlLines, key: string, value: unknown): YamlLines | undefined;
/** Sets one entry of a top-level map, which may be absent or empty. */
export declare function setEntry(
  document: YamlLines,
  key: string,
  name: string,
  value: unknown,
): YamlLines | undefined;
