/**
 * Unsaved edits of project files. They survive closing the tab and reloading the page.
 */
import {
  type FileEncoding,
  fileEncodingSchema,
  type LineEnding,
  lineEndingSchema,
} from '@crewagent/protocol/api/files';
import * as z from '@crewagent/protocol/zod';
import { create } from 'zustand';

export interface FileDraft {
  readonly text: string;
  /** Hash of the content the edit started from; null if that file no longer exists. */
  readonly baseSha256: string | null;
  readonly encoding: FileEncoding;
  readonly lineEnding: LineEnding;
}

interface Drafts {
  /** By `keyOf`. */
  readonly drafts: ReadonlyMap<string, FileDraft>;
}

const STORAGE_KEY = 'crewagent.file-drafts';
/** Browsers store only a few megabytes per page; longer drafts are held in memory only. */
const MAX_STORED_CHARS = 500_000;
const SAVE_DELAY_MS = 400;

const persistedSchema = z.pipe(
  z.tuple([
    z.string(),
    z.object({
      text: z.string(),
      baseSha256: z.nullable(z.string()),
      encoding: fileEncodingSchema,
      lineEnding: lineEndingSchema,
    }),
  ]),
  z.transform((entry) => [entry]),
);

export const useFileDrafts = create<Drafts>(() => ({ drafts: readSnapshot() }));

export const draftKey = (projectId: string, path: string): string => `${projectId}\n${path}`;

export function useFileDraft(projectId: string, path: string): FileDraft | undefined {
  return useFileDrafts(({ drafts }) => drafts.get(draftKey(projectId, path)));
}

export function draftOf(projectId: string, path: string): FileDraft | undefined {
  return useFileDrafts.getState().drafts.get(draftKey(projectId, path));
}

export function setFileDraft(projectId: string, path: string, draft: FileDraft | undefined): void {
  const key = draftKey(projectId, path);
  useFileDrafts.setState(({ drafts }) => {
    if (draft === undefined && !drafts.has(key)) return { drafts };
    const next = new Map(drafts);
    if (draft) next.set(key, draft);
    else next.delete(key);
    return { drafts: next };
  });
}

/** `toPath` returns the new path of a moved file. */
export function moveFileDrafts(projectId: string, toPath: (path: string) => string): void {
  useFileDrafts.setState(({ drafts }) => ({
    drafts: new Map(
      [...drafts].map(([key, draft]) => {
        const [owner = '', path = ''] = key.split('\n');
        return [owner === projectId ? draftKey(owner, toPath(path)) : key, draft];
      }),
    ),
  }));
}

function readSnapshot(): ReadonlyMap<string, FileDraft> {
  try {
    return parseDrafts(sessionStorage.getItem(STORAGE_KEY) ?? '[]');
  } catch {
    return new Map();
  }
}

/** Returns the valid drafts; throws if the text is not a JSON array. */
export function parseDrafts(stored: string): ReadonlyMap<string, FileDraft> {
  const entries = z.array(z.unknown()).parse(JSON.parse(stored));
  return new Map(entries.flatMap((entry) => persistedSchema.safeParse(entry).data ?? []));
}

function saveDrafts(): void {
  const short = [...useFileDrafts.getState().drafts].filter(
    ([, { text }]) => text.length <= MAX_STORED_CHARS,
  );
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(short));
  } catch {
    // Storage is full; the drafts are still in memory.
  }
}

if (typeof sessionStorage !== 'undefined') {
  let timer: ReturnType<typeof setTimeout> | undefined;
  useFileDrafts.subscribe(() => {
    clearTimeout(timer);
    timer = setTimeout(saveDrafts, SAVE_DELAY_MS);
  });
  addEventListener('pagehide', saveDrafts);
}
