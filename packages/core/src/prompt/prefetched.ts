/**
 * The block of files that are sent with a node, as results of reads that the model need not make. Each result is one line of
 * JSON, so that nothing in a file can be mistaken for text of the runtime.
 */
export type PrefetchedEntry =
  /** `content`: the result of the call, as JSON. */
  | { readonly args: { readonly path: string }; readonly content: string }
  | { readonly path: string; readonly note: string };

export function toPrefetchedBlock(entries: readonly PrefetchedEntry[]): string {
  return ['PREFETCHED', HOW_TO_USE, ...entries.map(toPrefetchedLine), 'END_PREFETCHED'].join('\n');
}

const HOW_TO_USE =
  'What these files and folders contained when this node began. Use it as if you had made the calls; read a file again only if it has changed since.';

export function toPrefetchedLine(entry: PrefetchedEntry): string {
  return 'note' in entry
    ? `- ${toLine(JSON.stringify(entry.path))}: ${toLine(entry.note)}`
    : `- fs_read ${toLine(JSON.stringify(entry.args))} -> ${toLine(entry.content)}`;
}

/** JSON without raw line separators and invisible characters; joiners are part of ordinary text. */
function toLine(json: string): string {
  return json.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
