/**
 * The package folder that is edited: its model, and edits one after the other. A file that changed outside refuses an edit; the page
 * then shows the folder as it is, and asks.
 */
import { ApiError } from '@crewagent/protocol/api/api-error';
import type { AuthorEdit, AuthorModel, AuthorWorkflow } from '@crewagent/protocol/author';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { FOREVER, useApi, useApiQuery } from '../api/api-context.tsx';
import { draftKey, type PackageDraft, setPackageDraft } from '../state/package-drafts.ts';
import { toError } from '../ui/errors/error-texts.ts';
import { mergeText } from './merge-text.ts';

/** What the person works on. */
export type Selection =
  | { readonly kind: 'node'; readonly id: string }
  | { readonly kind: 'edge'; readonly index: number };

/** An edit that was refused because a file changed outside. */
export interface Conflict {
  readonly edit: AuthorEdit;
  /** Of a text: the version of the disk, which cannot be merged with the typed one. */
  readonly theirs?: { readonly text: string; readonly sha256: string };
}

export interface OpenedFolder {
  readonly folderId: string;
  readonly path: string;
  readonly model: AuthorModel;
}

export function useOpenedFolder(folder: string) {
  const key = ['author', folder];
  const { data, error, refetch } = useApiQuery(
    key,
    ({ authoring }, call) => authoring.open({ body: { path: folder } }, call),
    { ...FOREVER, gcTime: 0, retry: false },
  );
  const queries = useQueryClient();
  const setModel = (model: AuthorModel): void => {
    queries.setQueryData<OpenedFolder>(key, (before) => before && { ...before, model });
  };
  return { opened: data, error, setModel, reopen: () => void refetch() };
}

export type Author = ReturnType<typeof useAuthor>;

export function useAuthor({ folderId, path, model }: OpenedFolder, setModel: (model: AuthorModel) => void) {
  const { authoring } = useApi();
  const [issue, setIssue] = useState<Error>();
  const [busy, setBusy] = useState(0);
  const [conflict, setConflict] = useState<Conflict>();
  const latest = useRef(model);
  latest.current = model;
  const last = useRef<Promise<unknown>>(Promise.resolve());

  const show = (next: AuthorModel): void => {
    latest.current = next;
    setModel(next);
  };
  const reload = async (): Promise<void> => show(await authoring.show({ folderId }));
  /** One after the other: each edit is based on what the one before it wrote. */
  const enqueue = (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy((count) => count + 1);
    const done = last.current.then(async () => {
      setIssue(undefined);
      try {
        return (await work()) !== false;
      } catch (error) {
        setIssue(toError(error));
        return false;
      } finally {
        setBusy((count) => count - 1);
      }
    });
    last.current = done;
    return done;
  };
  const send = async (edit: AuthorEdit, seen: Readonly<Record<string, string>> = {}): Promise<boolean> => {
    const hashes = latest.current.files.map((file): [string, string] => [file.path, file.sha256]);
    try {
      show(
        await authoring.edit({ folderId, body: { edit, seen: { ...Object.fromEntries(hashes), ...seen } } }),
      );
      return true;
    } catch (error) {
      if (!isConflict(error)) throw error;
      await reload();
      return false;
    }
  };
  const sendOrAsk = async (edit: AuthorEdit): Promise<boolean> => {
    const isDone = await send(edit);
    if (!isDone) setConflict({ edit });
    return isDone;
  };

  /** Saves a text; merges it with what another program wrote meanwhile, or asks. */
  const saveText = async (file: string, draft: PackageDraft): Promise<boolean> => {
    const isDone = await send({ kind: 'setText', file, text: draft.text }, { [file]: draft.sha256 });
    if (isDone) {
      setPackageDraft(draftKey(path, file), undefined);
      return true;
    }
    const theirs = await authoring.read({ folderId, query: { path: file } });
    const merged = mergeText(draft.base, draft.text, theirs.text);
    if (merged === undefined) {
      setConflict({ edit: { kind: 'setText', file, text: draft.text }, theirs });
      return false;
    }
    return saveText(file, { text: merged, base: theirs.text, sha256: theirs.sha256 });
  };

  useWatchedFolder(folderId, () => void enqueue(reload));
  return {
    ...{ folderId, path, model, issue, conflict, isBusy: busy > 0 },
    edit: (edit: AuthorEdit) => enqueue(() => sendOrAsk(edit)),
    undo: () => enqueue(async () => show(await authoring.undo({ folderId }))),
    redo: () => enqueue(async () => show(await authoring.redo({ folderId }))),
    reload: () => enqueue(reload),
    /** Hides the last error. */
    forget: () => setIssue(undefined),
    saveText: (file: string, draft: PackageDraft) => enqueue(() => saveText(file, draft)),
    /** `isMine`: the edit is made on the files as they are now; else it is dropped. */
    settle(isMine: boolean): void {
      setConflict(undefined);
      if (!conflict) return;
      const { edit, theirs } = conflict;
      if (edit.kind === 'setText' && !isMine) setPackageDraft(draftKey(path, edit.file), undefined);
      else if (edit.kind === 'setText' && theirs)
        void enqueue(() =>
          saveText(edit.file, { text: edit.text, base: theirs.text, sha256: theirs.sha256 }),
        );
      else if (isMine) void enqueue(() => sendOrAsk(edit));
    },
  };
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'FILE_CONFLICT';
}

/** Calls back when files of the folder changed, and after a pause of the watch. */
function useWatchedFolder(folderId: string, onChange: () => void): void {
  const { authoring } = useApi();
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    const stopper = new AbortController();
    const read = async (): Promise<void> => {
      for await (const { data } of authoring.events({ folderId }, { signal: stopper.signal })) {
        if (stopper.signal.aborted) return;
        if (data.type !== 'watching') latest.current();
      }
    };
    // Without a watch the folder is read with each edit.
    read().catch(() => undefined);
    return () => stopper.abort();
  }, [authoring, folderId]);
}

/** Ids that a new node can have: `step-2`, `step-3`, … */
export function freeId({ nodes }: AuthorWorkflow, stem: string): string {
  const taken = new Set(nodes.map(({ id }) => id));
  for (let number = nodes.length + 1; ; number++)
    if (!taken.has(`${stem}-${number}`)) return `${stem}-${number}`;
}
