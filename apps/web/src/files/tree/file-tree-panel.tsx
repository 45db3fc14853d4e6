/** The project's file tree: browse, open, create, rename, move, delete. Loaded lazily: use `FilesPanel`. */
import { useQueryClient } from '@tanstack/react-query';
import {
  ChevronsDownUp,
  Eye,
  EyeOff,
  FilePlus2,
  FolderOpen,
  FolderPlus,
  History,
  RotateCw,
} from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { forgetFiles } from '../../api/files-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { GoneFolderNote, isFolderGone } from '../../projects/gone-folder.tsx';
import { useLayout } from '../../state/layout.ts';
import { openFile } from '../../state/open-files.ts';
import { useMay, useOffers } from '../../state/team-server.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { type ErrorOrCode, toError } from '../../ui/errors/error-texts.ts';
import { isComposing } from '../../ui/forms/input.tsx';
import { ContextMenu } from '../../ui/overlays/context-menu.tsx';
import { MoreMenu, menuItem } from '../../ui/overlays/menu.tsx';
import { PanelHead } from '../../ui/panel-head.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { TreeHandle } from '../../ui/tree/tree.tsx';
import { Tree } from '../../ui/tree/tree.tsx';
import { askAboutFiles } from '../dialogs/file-asks.ts';
import { nameOf, PROJECT } from '../paths.ts';
import { useFileActions } from '../use-file-actions.ts';
import { useFileWatch } from '../use-file-watch.ts';
import { closeAllFolders, showHidden, toggleFolder, useTreeState, useTreeStates } from './tree-state.ts';
import { useFileTree } from './use-file-tree.tsx';
import { useTreeDrag } from './use-tree-drag.ts';
import { useTreeMenu } from './use-tree-menu.tsx';

export default function FileTreePanel({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  useFileWatch(projectId);
  const { activeFile } = useLayout(projectId);
  const { openFolders } = useTreeState(projectId);
  const { nodes, entryAt, issue: listIssue, isLoading } = useFileTree(projectId);
  const actions = useFileActions(projectId);
  const mayRun = useMay(projectId, 'run');
  const [renamed, setRenamed] = useState<string>();
  const [issue, setIssue] = useState<ErrorOrCode>();
  const [target, setTarget] = useState<string>();
  const tree = useRef<TreeHandle>(null);
  useWantedRow(projectId, tree);
  const attempt = (work: Promise<unknown>): void => {
    setIssue(undefined);
    work.catch((error: unknown) => setIssue(toError(error)));
  };
  const move = (from: string, to: string): void => attempt(actions.move(from, to));
  const dragAttributes = useTreeDrag({ entryAt, onMove: mayRun ? move : undefined });
  const menu = useTreeMenu({
    projectId,
    path: target,
    entry: entryAt(target ?? ''),
    actions,
    attempt,
    onRename: setRenamed,
  });

  const choose = (id: string): void => {
    const entry = entryAt(id);
    if (!entry) return;
    if (entry.isOutOfReach) setIssue(t('files.outOfReach', { name: toShownLine(entry.name) }));
    else openFile(projectId, id);
  };
  const pressKey = (event: KeyboardEvent, id: string): void => {
    const entry = entryAt(id);
    if (!entry || entry.isOutOfReach) return;
    if (event.key === 'Enter' && entry.kind !== 'folder') openFile(projectId, id, { takesFocus: true });
    else if (!mayRun) return;
    else if (event.key === 'F2') setRenamed(id);
    else if (event.key === 'Delete' || (event.key === 'Backspace' && event.metaKey))
      askAboutFiles({ kind: 'remove', projectId, path: id, isFolder: entry.kind === 'folder' });
    else return;
    event.preventDefault();
  };
  const finishRename = (name: string | undefined): void => {
    const from = renamed;
    setRenamed(undefined);
    if (from === undefined) return;
    tree.current?.focus(from);
    const to = `${from.slice(0, from.lastIndexOf('/'))}/${name ?? ''}`;
    if (name !== undefined && name !== nameOf(from)) move(from, to);
  };

  return (
    <section aria-label={t('rail.files')} className="flex h-full min-h-0 flex-col bg-canvas">
      <FilesPanelHeader projectId={projectId} />
      <ContextMenu
        label={t('files.actions')}
        items={menu}
        onReturn={() => target !== undefined && tree.current?.focus(target)}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: each row handles the keyboard */}
        <div
          className="min-h-0 grow"
          onContextMenu={(event) => setTarget(rowIdOf(event.target))}
          {...dragAttributes(PROJECT)}
        >
          {nodes.length === 0 && !isLoading && listIssue === undefined ? (
            <NoFiles projectId={projectId} />
          ) : (
            <Tree
              label={t('files.tree')}
              nodes={nodes}
              openIds={new Set(openFolders)}
              chosenId={activeFile}
              onToggle={(id, isOpen) => toggleFolder(projectId, id, isOpen)}
              onChoose={choose}
              onPressKey={pressKey}
              rowAttributes={dragAttributes}
              hasMenus
              handle={tree}
              editing={
                renamed === undefined
                  ? undefined
                  : { id: renamed, field: <RenameField name={nameOf(renamed)} onDone={finishRename} /> }
              }
            />
          )}
          {isLoading ? <Skeleton className="m-2 h-24" /> : undefined}
        </div>
      </ContextMenu>
      <PanelError
        projectId={projectId}
        issue={issue ?? listIssue}
        onClose={issue === undefined ? undefined : () => setIssue(undefined)}
      />
    </section>
  );
}

function NoFiles({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const mayRun = useMay(projectId, 'run');
  return (
    <EmptyState
      icon={<FolderOpen />}
      title={t('files.empty')}
      action={
        mayRun ? (
          <Button onClick={() => askAboutFiles({ kind: 'new-file', projectId, path: PROJECT })}>
            {t('files.newFile')}
          </Button>
        ) : undefined
      }
    >
      {t('files.emptyText')}
    </EmptyState>
  );
}

/** Moves the focus to the requested row. */
function useWantedRow(projectId: string, tree: RefObject<TreeHandle | null>): void {
  const wanted = useTreeStates((state) => state.wanted);
  useEffect(() => {
    if (wanted?.projectId !== projectId) return;
    tree.current?.focus(wanted.path);
    useTreeStates.setState({ wanted: undefined });
  }, [projectId, wanted, tree]);
}

function rowIdOf(target: EventTarget): string | undefined {
  const row = target instanceof Element ? target.closest('[data-id]') : undefined;
  return row?.getAttribute('data-id') ?? undefined;
}

interface PanelErrorProps {
  readonly projectId: string;
  readonly issue: ErrorOrCode | undefined;
  readonly onClose: (() => void) | undefined;
}

/** The error of the last action, at the bottom of the panel. */
function PanelError({ projectId, issue, onClose }: PanelErrorProps) {
  const { t } = useTranslation();
  if (issue === undefined) return undefined;
  return (
    <div className="shrink-0 border-t p-2">
      {isFolderGone(issue) ? (
        <GoneFolderNote projectId={projectId} onDone={onClose} />
      ) : (
        <ErrorNote
          issue={issue}
          actions={
            onClose ? (
              <Button size="sm" onClick={onClose}>
                {t('action.close')}
              </Button>
            ) : undefined
          }
        />
      )}
    </div>
  );
}

interface RenameFieldProps {
  readonly name: string;
  /** Undefined if the name was not changed. */
  readonly onDone: (name: string | undefined) => void;
}

/** Inline field for a new name. Enter confirms, Escape and blur cancel. */
function RenameField({ name, onDone }: RenameFieldProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => {
    const dot = name.lastIndexOf('.');
    field.current?.focus();
    // Selects the name without its extension, which rarely changes.
    field.current?.setSelectionRange(0, dot > 0 ? dot : name.length);
  }, [name]);
  const finish = (next: string | undefined): void => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(next === '' ? undefined : next);
  };
  return (
    <input
      ref={field}
      type="text"
      aria-label={t('files.newName')}
      value={typed}
      maxLength={255}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setTyped(event.target.value)}
      onClick={(event) => event.stopPropagation()}
      onBlur={() => finish(undefined)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (isComposing(event)) return;
        if (event.key === 'Enter') finish(typed.trim());
        if (event.key === 'Escape') finish(undefined);
      }}
      className="h-6 w-full min-w-0 rounded-sm border border-accent-text bg-surface px-1 text-base text-ink outline-none"
    />
  );
}

/** Header of the files panel: actions to create files, and display options. */
function FilesPanelHeader({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { hasHidden } = useTreeState(projectId);
  const hasChanges = useOffers('files.changes');
  const mayRun = useMay(projectId, 'run');
  return (
    <PanelHead title={t('rail.files')}>
      {mayRun ? (
        <>
          <IconButton
            label={t('files.newFile')}
            side="bottom"
            onClick={() => askAboutFiles({ kind: 'new-file', projectId, path: PROJECT })}
          >
            <FilePlus2 />
          </IconButton>
          <IconButton
            label={t('files.newFolder')}
            side="bottom"
            onClick={() => askAboutFiles({ kind: 'new-folder', projectId, path: PROJECT })}
          >
            <FolderPlus />
          </IconButton>
        </>
      ) : undefined}
      <MoreMenu
        label={t('files.view')}
        items={[
          hasChanges &&
            menuItem('changes', History, t('files.changes.title'), () =>
              askAboutFiles({ kind: 'changes', projectId }),
            ),
          'separator',
          menuItem(
            'hidden',
            hasHidden ? EyeOff : Eye,
            t(hasHidden ? 'files.hideHidden' : 'files.showHidden'),
            () => showHidden(projectId, !hasHidden),
          ),
          menuItem('close', ChevronsDownUp, t('files.closeFolders'), () => closeAllFolders(projectId)),
          menuItem('refresh', RotateCw, t('action.refresh'), () => forgetFiles(queries, projectId)),
        ]}
      />
    </PanelHead>
  );
}
