/** Files a node needs or creates, and whether they exist. */
import type { RunView } from '@crewagent/protocol/run-view';
import { FileCheck2, FileClock, FileMinus2, FileQuestionMark, FileX2 } from 'lucide-react';
import { useExisting } from '../../../api/inspector-queries.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { openFile } from '../../../state/open-files.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { changeMarkOf } from '../../to-artifacts.ts';
import type { NodeProgress } from '../to-progress.ts';
import { type FileStanding, type FileUse, type NodeFile, standingOf, toNodeFile } from './node-files.ts';
import { NodePart } from './node-part.tsx';

interface NodeFilesProps {
  readonly projectId: string;
  readonly view: Readonly<RunView>;
  readonly progress: NodeProgress;
  readonly use: FileUse;
  /** Paths as the package writes them. */
  readonly written: readonly string[];
}

export function NodeFiles({ projectId, view, progress, use, written }: NodeFilesProps) {
  const { t } = useTranslation();
  const files = written.map((path) => toNodeFile(path, view.state.variables));
  const paths = files.flatMap(({ path }) => path ?? []);
  const { data: existing } = useExisting(projectId, paths, changeMarkOf(view));
  if (files.length === 0) return undefined;
  return (
    <NodePart title={t(`inspector.node.${use}`)}>
      <ul className="flex flex-col gap-0.5">
        {files.map((file) => {
          const isThere = file.path === undefined ? undefined : existing?.get(file.path);
          return (
            <FileLine
              key={file.name}
              file={file}
              standing={isThere === undefined ? undefined : standingOf(isThere, use, progress)}
              onOpen={(path) => openFile(projectId, path)}
            />
          );
        })}
      </ul>
    </NodePart>
  );
}

interface FileLineProps {
  readonly file: NodeFile;
  /** Undefined if unknown. */
  readonly standing: FileStanding | undefined;
  readonly onOpen: (path: string) => void;
}

function FileLine({ file: { name, path }, standing, onOpen }: FileLineProps) {
  const { t } = useTranslation();
  const { Icon, ink } = LOOKS[standing ?? 'unknown'];
  const shown = <bdi className="min-w-0 font-mono text-sm wrap-anywhere">{toShownLine(name)}</bdi>;
  return (
    <li className="flex items-start gap-2">
      <Icon className={`mt-0.5 size-4 shrink-0 ${ink}`} />
      {standing === 'isThere' && path !== undefined ? (
        <button
          type="button"
          onClick={() => onOpen(path)}
          className="min-w-0 grow rounded-sm text-start hover:underline"
        >
          {shown}
        </button>
      ) : (
        <span className="min-w-0 grow text-ink-soft">{shown}</span>
      )}
      {standing === undefined ? undefined : (
        <span className={`shrink-0 text-xs ${ink}`}>{t(`inspector.node.${standing}`)}</span>
      )}
    </li>
  );
}

const LOOKS = {
  isThere: { Icon: FileCheck2, ink: 'text-ok' },
  isMissing: { Icon: FileX2, ink: 'text-warn' },
  isAhead: { Icon: FileClock, ink: 'text-ink-faint' },
  isNotNeeded: { Icon: FileMinus2, ink: 'text-ink-faint' },
  unknown: { Icon: FileQuestionMark, ink: 'text-ink-faint' },
} as const;
