/** A file that was created or changed. Expands to its total diff, and to its single changes. */
import { FilePen, FilePlus2, FileX2, Undo2 } from 'lucide-react';
import { formatBytes } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { useOpenRows } from '../../open-rows.ts';
import { type Artifact, ownerOf } from '../../to-artifacts.ts';
import type { Move } from '../../undo/use-undo.tsx';
import { ArtifactActions } from './artifact-actions.tsx';
import { ArtifactChanges } from './artifact-changes.tsx';
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
