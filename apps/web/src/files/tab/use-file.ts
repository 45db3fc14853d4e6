/**
 * An open file: the version on disk, the draft, and whether they conflict. Content that the user has not seen is never
 * overwritten.
 */
import { ApiError } from '@crewagent/protocol/api/client';
import type { FileContent, LineEnding } from '@crewagent/protocol/api/files';
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../api/api-context.tsx';
import { FILE_KEYS, useFileContent } from '../../api/files-queries.ts';
import { draftOf, type FileDraft, setFileDraft, useFileDraft } from '../../state/file-drafts.ts';
import { useAction } from '../../ui/use-action.ts';

type TextContent = Extract<FileContent, { kind: 'text' }>;

type FileStanding =
  /** As on disk. */
  | 'clean'
  /** Changed here. */
  | 'unsaved'
  /** Changed here and on disk. */
  | 'conflict'
  /** Deleted on disk. */
  | 'gone';

export type OpenedFile = ReturnType<typeof useFile>;

export function useFile(projectId: string, path: string) {
  const { data: content, error, refetch } = useFileContent(projectId, path);
  const draft = useFileDraft(projectId, path);
  const textual = toText(content);
  const saving = useSaving(projectId, path);
  const isGone = error instanceof ApiError && error.code === 'FILE_NOT_FOUND';
  const base = textual ? toEditorText(textual) : '';
  const isConflict = draft !== undefined && textual !== undefined && textual.sha256 !== draft.baseSha256;
  const standing: FileStanding = isGone ? 'gone' : isConflict ? 'conflict' : draft ? 'unsaved' : 'clean';
  const change = (text: string): void => {
    const from = draft ?? toDraft(textual);
    if (!from) return;
    const isAsItWas = text === base && from.baseSha256 === textual?.sha256 && !isGone;
    setFileDraft(projectId, path, isAsItWas ? undefined : { ...from, text });
  };
  return {
    content,
    error,
    draft,
    text: draft?.text ?? base,
    standing,
    isSaving: saving.isBusy,
    issue: saving.issue,
    needsUtf8: isEncodingIssue(saving.issue),
    change,
    save: ({ isUtf8 = false, isOver = false } = {}): void => {
      const current = draftOf(projectId, path) ?? (isGone ? toDraft(textual) : undefined);
      if (!current) return;
      const sha256 = isGone ? null : (textual?.sha256 ?? null);
      saving.run({
        ...current,
        baseSha256: isOver ? sha256 : current.baseSha256,
        encoding: isUtf8 ? 'utf8' : current.encoding,
      });
    },
    takeTheirs: (): void => setFileDraft(projectId, path, undefined),
    retry: (): void => void refetch(),
  };
}

function useSaving(projectId: string, path: string) {
  const client = useApi();
  const queries = useQueryClient();
  return useAction(async ({ text, encoding, lineEnding, baseSha256: ifMatchSha256 }: FileDraft) => {
    const body = { path, text: toFileText(text, lineEnding), encoding, ifMatchSha256 };
    try {
      const { sha256, bytes, modifiedAt } = await client.files.save({ projectId, body });
      queries.setQueryData<FileContent>(FILE_KEYS.read(projectId, path), (known) => ({
        ...{ path, mime: known?.mime ?? 'text/plain', isTooLarge: false, kind: 'text' },
        ...{ bytes, modifiedAt, sha256, encoding, lineEnding, text: body.text },
      }));
      const now = draftOf(projectId, path);
      // What was typed while saving is based on the saved version.
      const isSaved = !now || now.text === text;
      setFileDraft(projectId, path, isSaved ? undefined : { ...now, encoding, baseSha256: sha256 });
    } catch (error) {
      if (!(error instanceof ApiError && CONFLICTS.has(error.code))) throw error;
      // Loads the version on disk, to show it next to the draft.
      await queries.invalidateQueries({ queryKey: FILE_KEYS.read(projectId, path) });
    }
  });
}

const CONFLICTS: ReadonlySet<string> = new Set(['FILE_CONFLICT', 'FILE_EXISTS']);

/** The file's own encoding cannot represent the text. */
function isEncodingIssue(error: unknown): boolean {
  return error instanceof ApiError && error.details.encoding !== undefined;
}

export function toText(content: FileContent | undefined): TextContent | undefined {
  return content && !content.isTooLarge && content.kind === 'text' ? content : undefined;
}

function toDraft(content: TextContent | undefined): FileDraft | undefined {
  if (!content) return undefined;
  const { sha256: baseSha256, encoding, lineEnding } = content;
  return { text: toEditorText(content), baseSha256, encoding, lineEnding };
}

/**
 * Converts a file's text for the editor and back: lines end with `\n` in the editor, and with the original line ending when saved.
 * A file with mixed line endings keeps each of them.
 */
export function toEditorText({ text, lineEnding }: Pick<TextContent, 'text' | 'lineEnding'>): string {
  return lineEnding === 'crlf' ? text.replaceAll('\r\n', '\n') : text;
}

function toFileText(text: string, lineEnding: LineEnding): string {
  return lineEnding === 'crlf' ? text.replaceAll('\n', '\r\n') : text;
}
