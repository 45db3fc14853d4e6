/** The files a node needs or makes, and whether they are there. */
import type { RunView } from '@crewagent/protocol/run-view';
import { FileCheck2, FileQuestionMark, FileX2 } from 'lucide-react';
import { useExisting } from '../../api/inspector-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openFile } from '../../state/open-files.ts';
import { toShownLine } from '../../ui/foreign-text.ts';
import { changeMarkOf } from '../inspector/to-artifacts.ts';
import { type NodeFile, toNodeFile } from './node-files.ts';
import { NodePart } from './node-part.tsx';

interface NodeFilesProps {
  readonly projectId: string;
  readonly view: Readonly<RunView>;
  readonly label: 'inputs' | 'outputs';
  /** As the package writes them. */
  readonly written: readonly string[];
}

export function NodeFiles({ projectId, view, label, written }: NodeFilesProps) {
  const { t } = useTranslation();
  const files = written.map((path) => toNodeFile(path, view.state.variables));
  const paths = files.flatMap(({ path }) => path ?? []);
  const { data: existing } = useExisting(projectId, paths, changeMarkOf(view));
  if (files.length === 0) return undefined;
  return (
    <NodePart title={t(`inspector.node.${label}`)}>
      <ul className="flex flex-col gap-0.5">
        {files.map((file) => (
          <FileLine
            key={file.name}
            file={file}
            isThere={file.path === undefined ? undefined : existing?.get(file.path)}
            onOpen={(path) => openFile(projectId, path)}
          />
        ))}
      </ul>
    </NodePart>
  );
}

interface FileLineProps {
  readonly file: NodeFile;
  readonly isThere: boolean | undefined;
  readonly onOpen: (path: string) => void;
}

function FileLine({ file: { name, path }, isThere, onOpen }: FileLineProps) {
  const { t } = useTranslation();
  const shown = <bdi className="min-w-0 font-mono text-sm wrap-anywhere">{toShownLine(name)}</bdi>;
  return (
    <li className="flex items-start gap-2">
      <span className="mt-0.5 [&_svg]:size-4">
        {isThere === undefined ? (
          <FileQuestionMark aria-hidden="true" className="text-ink-faint" />
        ) : isThere ? (
          <FileCheck2 aria-hidden="true" className="text-ok" />
        ) : (
          <FileX2 aria-hidden="true" className="text-ink-faint" />
        )}
      </span>
      {isThere && path !== undefined ? (
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
      {isThere === undefined ? undefined : (
        <span className={`shrink-0 text-xs ${isThere ? 'text-ok' : 'text-ink-faint'}`}>
          {t(isThere ? 'inspector.node.isThere' : 'inspector.node.isMissing')}
        </span>
      )}
    </li>
  );
}
