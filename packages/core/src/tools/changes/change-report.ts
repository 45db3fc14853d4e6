/**
 * What became of a program's changes, as part of the result of its call: files that changed, and notes on those that did not. Pure.
 */
import { toPlainText } from '@crewagent/protocol/plain-text';
import type { ToolResult } from '@crewagent/protocol/tools';
import type { EffectFacts } from '../tool-source.ts';
import type { DropReason } from './classify-changes.ts';
import type { ChangedFile, Committed } from './commit-changes.ts';

export interface ReportedChanges {
  readonly changed: readonly ChangedFile[];
  /** How many more there are than are listed. */
  readonly more: number;
  /** Sentences for the model and for people. */
  readonly notes: readonly string[];
}

interface Outcome {
  readonly committed?: Committed;
  readonly dropped?: readonly { readonly path: string; readonly why: DropReason }[];
  readonly refusedHosts?: readonly string[];
  readonly denied?: { readonly paths: readonly string[]; readonly why: string };
}

const MAX_LISTED = 100;
const MAX_NAMED = 10;

const DROPPED: Readonly<Record<DropReason, string>> = {
  git: 'Not kept, because git would follow or run them; tell the user which git command to use',
  secret: 'Not kept, because they are secret files',
  special: 'Not kept, because they are neither files, links nor folders',
  name: 'Not kept, because their names have control or invisible characters',
  large: 'Not kept, because they are larger than 1 GiB',
  conflict: 'Not kept, because somebody else changed them while the program ran; read them again',
  'folder-mode': 'Permissions of folders are not changed',
  'read-only': 'Not kept, because the tool was offered as one that only reads',
};

export function toReport({ committed, dropped = [], refusedHosts = [], denied }: Outcome): ReportedChanges {
  const { changed = [], notUndoable = [], failed = [] } = committed ?? {};
  const reasons = (Object.keys(DROPPED) as DropReason[]).flatMap((why) =>
    sentence(
      dropped.filter((entry) => entry.why === why).map(({ path }) => path),
      DROPPED[why],
    ),
  );
  return {
    changed: changed.slice(0, MAX_LISTED).map(({ path, kind }) => ({ path: `@project/${path}`, kind })),
    more: Math.max(0, changed.length - MAX_LISTED),
    notes: [
      ...reasons,
      ...sentence(failed, 'Not kept, because they changed meanwhile or could not be written'),
      ...sentence(refusedHosts, 'Not reached, because the user has not allowed these hosts'),
      ...sentence(notUndoable, 'Changed, and too large to be undone'),
      ...(denied ? [...sentence(denied.paths, 'Not kept'), denied.why] : []),
    ],
  };
}

function sentence(paths: readonly string[], what: string): string[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, MAX_NAMED).map(toShown).join(', ');
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return [`${what}: ${named}${more}.`];
}

const MAX_PATH_CHARS = 200;

function toShown(path: string): string {
  const text = toPlainText(path);
  return text.length > MAX_PATH_CHARS ? `…${text.slice(-MAX_PATH_CHARS)}` : text;
}

/** More than this are not listed in the log. */
const MAX_LOGGED = 500;

/** The effect of a call with the files that it changed. */
export function withChanged(effect: EffectFacts, { changed: committed }: Committed): EffectFacts {
  const changed = [...(effect.changed ?? []), ...committed.map(({ path }) => `@project/${path}`)];
  return changed.length === 0 ? effect : { ...effect, changed: changed.slice(0, MAX_LOGGED) };
}

/** A result with further changes; those of a failed call are in its details. */
export function addChanges(result: ToolResult, { changed, more, notes }: ReportedChanges): ToolResult {
  const add = (facts: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const all = [...((facts.changed as object[] | undefined) ?? []), ...changed];
    const allNotes = [...((facts.notes as string[] | undefined) ?? []), ...notes];
    const moreChanged = ((facts.moreChanged as number | undefined) ?? 0) + more;
    return {
      ...facts,
      changed: all.length > 0 ? all : undefined,
      moreChanged: moreChanged || undefined,
      notes: allNotes.length > 0 ? allNotes : undefined,
    };
  };
  if (result.ok) return { ...add(result), ok: true };
  return { ok: false, error: { ...result.error, details: add(result.error.details ?? {}) } };
}
