export interface YamlMap {
  readonly ok: true;
  readonly value: Record<string, unknown>;
  /** Line in the markdown file; its first line is the opening fence. */
  lineOf(path: readonly PropertyKey[]): number;
}
export interface YamlFailure {
  readonly ok: false;
  readonly kind: 'unreadable' | 'not-a-map';
  readonly reason: string;
  readonly line: number;
}
export declare function parseFullYaml(yaml: string, expandDates?: boolean): YamlMap | YamlFailure;
