/** Documents that try to instruct a model, and what a model that obeys them would call. For tests. */
import documents from './hostile-documents.json' with { type: 'json' };

export interface HostileDocument {
  readonly name: string;
  readonly text: string;
  /** How often the text is repeated; default: once. */
  readonly repeat?: number;
  /** The calls of a model that obeys. */
  readonly calls?: readonly ObedientCall[];
}

export interface ObedientCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The code of the rejection, or `asked`: a person must approve it. */
  readonly answer: string;
}

export const HOSTILE: readonly HostileDocument[] = documents;

export function textOf({ text, repeat = 1 }: HostileDocument): string {
  return text.repeat(repeat);
}

/** All of them in one text, except those that are only long. */
export const ALL_HOSTILE = HOSTILE.filter(({ repeat }) => repeat === undefined)
  .map(textOf)
  .join('\n')
  .replaceAll('\0', '');

const BLOCK = /^\p{Cf}*([A-Z]+(?:_[A-Z]+)+(?=\s|$)|(?:BACKGROUND|MENU|PERSONA|PREFETCHED|ROSTER)\s*$)/u;

/** The names of the blocks in a text for a model, as a reader who goes by lines finds them. */
export function blocksOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/).flatMap((line) => BLOCK.exec(line)?.[1]?.trim() ?? []);
}
