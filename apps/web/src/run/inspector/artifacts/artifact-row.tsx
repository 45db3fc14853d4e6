/** A file that was created or changed. Expands to its total diff, and to its single changes. */
import { Download, FilePen, FilePlus2, FileX2, FolderSearch, Undo2 } from 'lucide-react';
import { useApi } from '../../../api/api-context.tsx';
import { revealFile, useCanReveal } from '../../../api/files-queries.ts';
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
import { toShownPath } from '../../shown-names.ts';
import { type Artifact, ownerOf } from '../../to-artifacts.ts';
import { type Move, toSelection } from '../../undo/use-undo.tsx';
import { FileDiffView } from './file-diff-view.tsx';

interface ArtifactRowProps {
  readonly artifact: Artifact;
  readonly projectId: string;
  /** The run or thread; a change of a called run names its own. */
  readonly workId: string;
  readonly mark: string;
  readonly titleOf: (nodeId: string) => string;
  readonly canMove: boolean;
  /** Undefined in a replay, which shows the file as it was. */
  readonly onMove: Move | undefined;
}

export function ArtifactRow(props: ArtifactRowProps) {
  const { artifact, workId, mark } = props;
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  const { path } = artifact;
  return (
    <li className="border-b border-line py-1 last:border-b-0">
      <Fold
        isListItem
        isOpen={isOpen(path)}
        onToggle={() => toggle(path)}
        summary={<ArtifactSummary {...props} />}
      >
        {() => (
          <div className="-ms-4.5 flex flex-col gap-3 pe-1.5 pb-1">
            {props.onMove ? <ArtifactActions {...props} /> : undefined}
            <div>
              <h3 className="mb-1 text-sm font-medium text-ink-faint">
                {t(props.onMove ? 'inspector.files.sinceStart' : 'replay.filesAt')}
              </h3>
              <FileDiffView
                of={{
                  workId: ownerOf(artifact) ?? workId,
                  path,
                  mark,
                  ...(props.onMove ? {} : { until: artifact.changes.at(-1)?.changeId }),
                }}
              />
            </div>
            <ArtifactChanges {...props} />
          </div>
        )}
      </Fold>
    </li>
  );
}

function ArtifactSummary({ artifact, titleOf }: ArtifactRowProps) {
  const { t } = useTranslation();
  const { path, kind, nodeIds, bytes, isThere } = artifact;
  const shown = toShownPath(path);
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

/** Actions for a project file: open it here, download it, show it in its folder. */
function ArtifactActions({ projectId, artifact: { path, isThere } }: ArtifactRowProps) {
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
          {t('action.download')}
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

/** Each change of a file with the call that made it: expands to its diff and can be undone separately. */
function ArtifactChanges({ artifact: { changes }, workId, titleOf, canMove, onMove }: ArtifactRowProps) {
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium text-ink-faint">
        {t('inspector.files.changes', { count: changes.length })}
      </h3>
      <ul className="-ms-1.5 flex flex-col gap-0.5">
        {changes.map((change) => {
          const { at, path, runId, changeId, nodeId, kind, undone } = change;
          const key = `${path}:${runId ?? ''}:${changeId}`;
          const direction = undone ? 'redo' : 'undo';
          return (
            <li key={key} className="flex items-start gap-1">
              <Fold
                isOpen={isOpen(key)}
                onToggle={() => toggle(key)}
                className="min-w-0 grow"
                summary={
                  <>
                    <time dateTime={at} className="shrink-0 text-xs text-ink-faint tabular-nums">
                      {formatTime(at)}
                    </time>
                    <span className="min-w-0 truncate text-sm">
                      {t(`inspector.files.kind.${undone ? 'undone' : kind}`)}
                      {nodeId === undefined ? '' : ` · ${toShownLine(titleOf(nodeId))}`}
                    </span>
                  </>
                }
              >
                {() => <FileDiffView of={{ workId: runId ?? workId, path, change: changeId, mark: '' }} />}
              </Fold>
              {onMove === undefined ? undefined : undone || change.undoable ? (
                <Button
                  kind="quiet"
                  size="sm"
                  disabled={!canMove}
                  aria-label={t(`inspector.files.${direction}One`, {
                    time: formatTime(at),
                    path: toShownPath(path),
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
