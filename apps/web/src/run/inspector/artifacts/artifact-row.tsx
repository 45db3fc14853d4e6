/** A file that was created or changed. Expands to its total diff, and to its single changes. */

import type { JournalEntry } from '@crewagent/protocol/journal';
import { Download, FilePen, FilePlus2, FileX2, FolderSearch, Undo2 } from 'lucide-react';
import { useApi } from '../../../api/api-context.tsx';
import { useCanReveal } from '../../../api/inspector-queries.ts';
import { revealFile } from '../../../api/reveal-file.ts';
import { saveResponse } from '../../../api/save-response.ts';
import { formatBytes, formatTime } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { useAction } from '../../../ui/use-action.ts';
import { OpenFileButton } from '../../open-file-button.tsx';
import { useOpenRows } from '../../open-rows.ts';
import { type Artifact, ownerOf } from '../../to-artifacts.ts';
import { type Move, toSelection } from '../../undo/use-undo.tsx';
import { FileDiffView } from './file-diff-view.tsx';

interface ArtifactRowProps {
  readonly artifact: Artifact;
  readonly projectId: string;
  readonly workId: string;
  readonly mark: string;
  readonly titleOf: (nodeId: string) => string;
  readonly canMove: boolean;
  readonly onMove: Move;
}

export function ArtifactRow(props: ArtifactRowProps) {
  const { artifact, projectId, workId, mark, titleOf, canMove, onMove } = props;
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  const { path, changes } = artifact;
  return (
    <li className="border-b border-line py-1 last:border-b-0">
      <Fold
        isListItem
        isOpen={isOpen(path)}
        onToggle={() => toggle(path)}
        summary={<ArtifactSummary artifact={artifact} titleOf={titleOf} />}
      >
        {() => (
          <div className="-ms-4.5 flex flex-col gap-3 pe-1.5 pb-1">
            <ArtifactActions projectId={projectId} path={path} isThere={artifact.isThere} />
            <div>
              <h3 className="mb-1 text-sm font-medium text-ink-faint">{t('inspector.files.sinceStart')}</h3>
              <FileDiffView of={{ workId: ownerOf(artifact) ?? workId, path, mark }} />
            </div>
            <ArtifactChanges
              changes={changes}
              workId={workId}
              titleOf={titleOf}
              canMove={canMove}
              onMove={onMove}
            />
          </div>
        )}
      </Fold>
    </li>
  );
}

function ArtifactSummary({ artifact, titleOf }: Pick<ArtifactRowProps, 'artifact' | 'titleOf'>) {
  const { t } = useTranslation();
  const { path, kind, nodeIds, bytes, isThere } = artifact;
  const shown = toShownLine(path).replace(/^@project\//, '');
  const slash = shown.lastIndexOf('/');
  const { tone, icon } = KINDS[kind];
  const where = nodeIds.map((id) => toShownLine(titleOf(id))).join(', ');
  return (
    <span className="flex min-w-0 grow items-center gap-2 py-0.5">
      <span className="min-w-0 grow">
        <span className="flex items-baseline gap-1.5">
          <bdi className="truncate font-medium text-ink">{shown.slice(slash + 1)}</bdi>
          {isThere ? (
            <span className="shrink-0 text-xs text-ink-faint tabular-nums">{formatBytes(bytes)}</span>
          ) : undefined}
        </span>
        <span className="block truncate text-xs text-ink-faint">
          {[...(slash > 0 ? [shown.slice(0, slash)] : []), ...(where === '' ? [] : [where])].join(' · ')}
        </span>
      </span>
      <Badge tone={tone} icon={icon}>
        {t(`inspector.files.kind.${kind}`)}
      </Badge>
    </span>
  );
}

const KINDS: Readonly<Record<Artifact['kind'], { readonly tone: Tone; readonly icon: React.ReactNode }>> = {
  created: { tone: 'ok', icon: <FilePlus2 /> },
  changed: { tone: 'accent', icon: <FilePen /> },
  deleted: { tone: 'bad', icon: <FileX2 /> },
  undone: { tone: 'neutral', icon: <Undo2 /> },
};

interface ArtifactActionsProps {
  readonly projectId: string;
  readonly path: string;
  readonly isThere: boolean;
}

/** Actions for a project file: open it here, download it, show it in its folder. */
function ArtifactActions({ projectId, path, isThere }: ArtifactActionsProps) {
  const { t } = useTranslation();
  const client = useApi();
  const { files } = client;
  const canReveal = useCanReveal();
  const download = useAction(async () => {
    const response = await files.download({ projectId, query: { path } });
    await saveResponse(response, path.slice(path.lastIndexOf('/') + 1));
  });
  const reveal = useAction(() => revealFile(client, projectId, path));
  if (!isThere) return <p className="text-sm text-ink-faint">{t('inspector.files.isGone')}</p>;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-1.5">
        <OpenFileButton projectId={projectId} path={path} />
        <Button
          size="sm"
          icon={<Download className="size-3.5" />}
          isBusy={download.isBusy}
          onClick={() => download.run()}
        >
          {t('inspector.files.download')}
        </Button>
        {canReveal ? (
          <Button
            size="sm"
            icon={<FolderSearch className="size-3.5" />}
            isBusy={reveal.isBusy}
            onClick={() => reveal.run()}
          >
            {t('inspector.files.reveal')}
          </Button>
        ) : undefined}
      </div>
      <ErrorNote issue={download.issue ?? reveal.issue} />
    </div>
  );
}

interface ArtifactChangesProps {
  readonly changes: readonly JournalEntry[];
  /** The run or thread; a change of a called run names its own. */
  readonly workId: string;
  readonly titleOf: (nodeId: string) => string;
  readonly canMove: boolean;
  readonly onMove: Move;
}

/** Each change of a file with the call that made it: expands to its diff and can be undone separately. */
function ArtifactChanges({ changes, workId, titleOf, canMove, onMove }: ArtifactChangesProps) {
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium text-ink-faint">
        {t('inspector.files.changes', { count: changes.length })}
      </h3>
      <ul className="-ms-1.5 flex flex-col gap-0.5">
        {changes.map((change) => {
          const key = `${change.path}:${change.runId ?? ''}:${change.changeId}`;
          const owner = change.runId ?? workId;
          const direction = change.undone ? 'redo' : 'undo';
          const canBeMoved = change.undone || change.undoable;
          return (
            <li key={key} className="flex items-start gap-1">
              <Fold
                isOpen={isOpen(key)}
                onToggle={() => toggle(key)}
                className="min-w-0 grow"
                summary={<ChangeSummary change={change} titleOf={titleOf} />}
              >
                {() => (
                  <FileDiffView
                    of={{ workId: owner, path: change.path, change: change.changeId, mark: '' }}
                  />
                )}
              </Fold>
              {canBeMoved ? (
                <Button
                  kind="quiet"
                  size="sm"
                  disabled={!canMove}
                  aria-label={t(`inspector.files.${direction}One`, {
                    time: formatTime(change.at),
                    path: toShownLine(change.path).replace(/^@project\//, ''),
                  })}
                  onClick={() => onMove(direction, toSelection(change))}
                >
                  {t(`inspector.files.${direction}`)}
                </Button>
              ) : (
                <span className="py-1 text-xs text-ink-faint">{t('inspector.files.notKept')}</span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function ChangeSummary({
  change,
  titleOf,
}: Pick<ArtifactChangesProps, 'titleOf'> & { change: JournalEntry }) {
  const { t } = useTranslation();
  const { at, nodeId, kind, undone } = change;
  return (
    <>
      <time dateTime={at} className="shrink-0 text-xs text-ink-faint tabular-nums">
        {formatTime(at)}
      </time>
      <span className="min-w-0 truncate text-sm">
        {t(`inspector.files.kind.${undone ? 'undone' : kind}`)}
        {nodeId === undefined ? '' : ` · ${toShownLine(titleOf(nodeId))}`}
      </span>
    </>
  );
}
