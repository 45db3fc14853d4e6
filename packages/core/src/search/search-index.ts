/**
 * The index of the search: the passages of each Work, as text. Words are found by scanning it, which works for every script and costs a
 * few hundredths of a second for ten thousand Works (decision 55). It is a cache: the logs are the truth.
 */
import { passageKindSchema } from '@crewagent/protocol/api/search';
import { countSchema, nonEmptySchema } from '@crewagent/protocol/scalars';
import * as z from '@crewagent/protocol/zod';
import type { StoredLines } from '../store/stored-lines.ts';
import type { Passage } from './fold-passages.ts';

/** Characters of all passages. */
const MAX_CHARS = 64_000_000;

const entrySchema = z.strictObject({
  /** Increased whenever the same log gives other passages. */
  version: z.literal(1),
  id: nonEmptySchema,
  mark: nonEmptySchema,
  passages: z.array(
    z.strictObject({
      kind: passageKindSchema,
      seq: countSchema,
      text: z.string(),
      path: z.optional(z.string()),
    }),
  ),
});

export interface IndexedWork {
  /** Of the log when it was read. */
  readonly mark: string;
  readonly passages: readonly Passage[];
}

export type SearchIndex = Awaited<ReturnType<typeof openSearchIndex>>;

export async function openSearchIndex(lines: StoredLines) {
  const works = new Map<string, IndexedWork>();
  let chars = 0;
  let stored = 0;
  let unsaved: string[] = [];

  const forget = (id: string): void => {
    chars -= sizeOf(works.get(id));
    works.delete(id);
  };
  const put = (id: string, work: IndexedWork): void => {
    forget(id);
    works.set(id, work);
    chars += sizeOf(work);
  };
  await lines.read((line) => {
    stored++;
    const entry = parseEntry(line);
    if (entry) put(entry.id, { mark: entry.mark, passages: entry.passages });
  });

  return {
    get: (id: string): IndexedWork | undefined => works.get(id),
    size: (): number => works.size,
    isFull: (): boolean => chars >= MAX_CHARS,
    put(id: string, work: IndexedWork): void {
      put(id, work);
      unsaved.push(toLine(id, work));
    },
    /** Writes what was added; without Works that do not exist any more, once they are half of the file. */
    async save(existing: ReadonlySet<string>): Promise<void> {
      for (const id of [...works.keys()]) if (!existing.has(id)) forget(id);
      if (unsaved.length > 0) await lines.append(unsaved);
      stored += unsaved.length;
      unsaved = [];
      if (stored <= 2 * works.size + FEW) return;
      await lines.replace([...works].map(([id, work]) => toLine(id, work)));
      stored = works.size;
    },
  };
}

const FEW = 100;

function sizeOf(work: IndexedWork | undefined): number {
  return (work?.passages ?? []).reduce((sum, { text }) => sum + text.length, 0);
}

function toLine(id: string, { mark, passages }: IndexedWork): string {
  return JSON.stringify({ version: 1, id, mark, passages });
}

/** A line that a crash cut off is no entry. */
function parseEntry(line: string): z.infer<typeof entrySchema> | undefined {
  try {
    const parsed = entrySchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
