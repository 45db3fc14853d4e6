/** Center of a project's window: the screen's own tab, which stays, and the open files. */
import { Workflow as WorkflowIcon, X } from 'lucide-react';
import { Tabs as Radix } from 'radix-ui';
import { lazy, type ReactNode, Suspense, useEffect, type WheelEvent } from 'react';
import { closeTab, useFileAsk } from '../../files/dialogs/file-asks.ts';
import { FileIcon } from '../../files/file-kinds.tsx';
import { nameOf } from '../../files/paths.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useLayout } from '../../state/layout.ts';
import { OVERVIEW_TAB, showFile, useHasOverview, useIsUnsaved } from '../../state/open-files.ts';
import { classNames } from '../../ui/class-names.ts';
import { ErrorBoundary } from '../../ui/errors/error-boundary.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TabTrigger, useVisibleTab } from '../../ui/tabs.tsx';

interface WorkspaceProps {
  readonly projectId: string;
  readonly title: string;
  readonly icon: ReactNode;
  readonly children: ReactNode;
  readonly aside?: ReactNode;
  /** The first tab waits for the user. */
  readonly isWaiting?: boolean;
  /** The overview of the run; undefined if there is none. */
  readonly overview?: ReactNode;
}

const FIRST_TAB = 'first';

export function Workspace(props: WorkspaceProps) {
  const { projectId, title, icon, children, aside, overview, isWaiting = false } = props;
  const { t } = useTranslation();
  const { openFiles: opened, activeFile } = useLayout(projectId);
  const openFiles = opened.filter((path) => path !== OVERVIEW_TAB);
  const isOpen = (path: string): boolean =>
    openFiles.includes(path) || (path === OVERVIEW_TAB && overview !== undefined);
  const isUnsaved = useIsUnsaved();
  const hasOverview = overview !== undefined;
  useEffect(() => useHasOverview.setState({ hasOverview }), [hasOverview]);
  const { ask } = useFileAsk();
  const shown = activeFile === undefined || !isOpen(activeFile) ? FIRST_TAB : activeFile;
  return (
    <>
      <WorkspaceTabs
        active={shown}
        onChange={(id) => showFile(projectId, id === FIRST_TAB ? undefined : id)}
        onClose={(path) => closeTab(projectId, path)}
        tabs={[
          {
            id: FIRST_TAB,
            title,
            icon,
            // The open conversation shows its question itself.
            isWaiting: isWaiting && shown !== FIRST_TAB,
            canClose: false,
            isPinned: true,
            content: (
              <ErrorBoundary resetKey={projectId} isScreen>
                {children}
              </ErrorBoundary>
            ),
          },
          ...(overview === undefined
            ? []
            : [
                {
                  id: OVERVIEW_TAB,
                  title: t('workspace.overview'),
                  icon: <WorkflowIcon />,
                  canClose: false,
                  content: (
                    <ErrorBoundary resetKey={projectId}>
                      <Suspense fallback={<Skeleton className="m-4 h-40" />}>{overview}</Suspense>
                    </ErrorBoundary>
                  ),
                },
              ]),
          ...openFiles.map((path) => ({
            id: path,
            title: nameOf(path),
            icon: <FileIcon name={path} />,
            isDirty: isUnsaved(projectId, path),
            canClose: true,
            content: (
              <ErrorBoundary resetKey={projectId}>
                <Suspense fallback={<Skeleton className="m-4 h-40" />}>
                  <FileTab projectId={projectId} path={path} />
                </Suspense>
              </ErrorBoundary>
            ),
          })),
        ]}
        aside={aside}
      />
      {ask?.projectId === projectId ? (
        <Suspense>
          <FileDialogs ask={ask} />
        </Suspense>
      ) : undefined}
    </>
  );
}

const FileTab = lazy(() => import('../../files/tab/file-tab.tsx'));

const FileDialogs = lazy(() => import('../../files/dialogs/file-dialogs.tsx'));

export interface WorkspaceTab {
  readonly id: string;
  readonly title: string;
  readonly icon?: ReactNode;
  readonly isDirty?: boolean;
  /** The tab waits for the user. */
  readonly isWaiting?: boolean;
  readonly canClose: boolean;
  /** Stays in view, and mounted while it is not shown. */
  readonly isPinned?: boolean;
  readonly content: ReactNode;
}

interface WorkspaceTabsProps {
  readonly tabs: readonly WorkspaceTab[];
  readonly active: string;
  readonly onChange: (id: string) => void;
  readonly onClose: (id: string) => void;
  readonly aside?: ReactNode;
}

/** Tabs of the workspace. The first is the conversation and stays in view; the overview and files follow and scroll. */
function WorkspaceTabs({ tabs, active, onChange, onClose, aside }: WorkspaceTabsProps) {
  const { t } = useTranslation();
  const row = useVisibleTab<HTMLDivElement>(active);
  const [first, ...others] = tabs;
  const head = (tab: WorkspaceTab): ReactNode => (
    <TabHead key={tab.id} tab={tab} onChoose={onChange} onClose={onClose} />
  );
  return (
    <Radix.Root value={active} onValueChange={onChange} className="flex h-full min-h-0 flex-col bg-surface">
      <div className="flex h-10 shrink-0 items-stretch border-b bg-canvas pointer-coarse:h-11">
        <Radix.List aria-label={t('workspace.tabs')} className="flex min-w-0 grow items-stretch">
          {first ? head(first) : undefined}
          {others.length === 0 ? undefined : (
            <div
              ref={row}
              onWheel={scrollAlong}
              className="no-scrollbar flex min-w-0 grow items-stretch overflow-x-auto"
            >
              {others.map(head)}
            </div>
          )}
        </Radix.List>
        {aside ? <div className="flex shrink-0 items-center gap-1 px-2">{aside}</div> : undefined}
      </div>
      {tabs.map((tab) => (
        <Radix.Content
          key={tab.id}
          value={tab.id}
          // The conversation stays mounted, so that drafts and its scroll position survive.
          {...(tab.isPinned ? { forceMount: true, hidden: tab.id !== active } : {})}
          className="min-h-0 grow outline-none"
        >
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

interface TabHeadProps {
  readonly tab: WorkspaceTab;
  readonly onChoose: (id: string) => void;
  readonly onClose: (id: string) => void;
}

function TabHead({
  tab: { id, title, icon, isDirty = false, isWaiting = false, isPinned = false, canClose },
  onChoose,
  onClose,
}: TabHeadProps) {
  const { t } = useTranslation();
  const name = toShownLine(title);
  return (
    <span
      className={classNames(
        'relative flex items-center border-e has-[[data-state=active]]:bg-surface',
        isPinned ? 'max-w-1/2 shrink-0 only:max-w-full' : 'shrink-0',
      )}
    >
      <TabTrigger
        value={id}
        onChoose={onChoose}
        title={name}
        aria-keyshortcuts={canClose ? 'Delete' : undefined}
        // Delete closes a tab, as in other editors.
        onKeyDown={(event) => {
          if (event.key === 'Delete' && canClose) onClose(id);
        }}
        className={classNames(
          'flex h-full max-w-72 min-w-0 items-center gap-2 ps-3.5 text-ink-faint -outline-offset-2 hover:text-ink data-[state=active]:text-ink [&_svg]:size-4 [&_svg]:shrink-0',
          canClose ? 'pe-8 pointer-coarse:pe-11' : 'pe-4',
        )}
      >
        {icon}
        <span className="truncate">{name}</span>
        {isWaiting ? (
          <span className="size-2 shrink-0 rounded-full bg-warn" title={t('attention.here')}>
            <span className="sr-only">{t('attention.here')}</span>
          </span>
        ) : undefined}
        {isDirty ? <span title={t('workspace.dirty')}>●</span> : undefined}
      </TabTrigger>
      {canClose ? (
        // Pointer only, because a tablist may only contain tabs; the keyboard has Delete.
        <button
          type="button"
          tabIndex={-1}
          aria-hidden="true"
          title={t('workspace.closeTab', { title: name })}
          onClick={() => onClose(id)}
          className="absolute end-1.5 flex items-center justify-center rounded-sm p-0.5 text-ink-faint hover:bg-hover hover:text-ink pointer-coarse:end-0"
        >
          <X className="size-3.5" />
        </button>
      ) : undefined}
    </span>
  );
}

/** A vertical wheel scrolls the tabs horizontally. */
function scrollAlong({ currentTarget, deltaX, deltaY }: WheelEvent<HTMLElement>): void {
  if (deltaX === 0) currentTarget.scrollLeft += deltaY;
}
