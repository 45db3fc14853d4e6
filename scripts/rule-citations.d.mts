export interface Citation {
  readonly id: string;
  readonly title: string;
  readonly context: readonly string[];
  readonly cases: string;
  readonly line: number;
}
export function parseRules(markdown: string): readonly { readonly id: string; readonly text: string }[];
export function parseCitations(source: string): readonly Citation[];
export function wrap(text: string, indent: number): string;
