/** The files of a node as mount paths of the project: variables and templates are resolved as in the runtime. */
import { fillVariables } from '@crewagent/protocol/fill-variables';
import type { Story } from '@crewagent/protocol/story/story';
import { FileCheck2, FileClock, FileMinus2, FileQuestionMark, FileX2 } from 'lucide-react';
import { useExisting } from '../../../api/inspector-queries.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { openFile } from '../../../state/open-files.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { changeMarkOf } from '../../to-artifacts.ts';
import type { NodeProgress, ProgressNode } from '../to-progress.ts';

interface NodeFile {
  /** Display name. */
  readonly name: string;
  /** Undefined if the file is not in the project: in the package, in the state, or with an unset variable. */
  readonly path: string | undefined;
}

type FileUse = 'inputs' | 'outputs';

/** Each value is a key of the texts. */
type FileStanding = 'isThere' | 'isMissing' | 'isAhead' | 'isNotNeeded';

/** A file counts as missing only if the node has started and needs it, or is done and should have created it. */
export function standingOf(isThere: boolean, use: FileUse, progress: NodeProgress): FileStanding {
  if (isThere) return 'isThere';
  if (progress === 'notNeeded') return 'isNotNeeded';
  const isAhead = progress === 'ahead' || (progress === 'current' && use === 'outputs');
  return isAhead ? 'isAhead' : 'isMissing';
}

export function toNodeFile(written: string, variables: Readonly<Record<string, unknown>>): NodeFile {
  const filled = fillVariables(written, variables);
  const path = toProjectPath(filled);
  return { name: path?.slice('@project/'.length) ?? filled, path };
}

const TEMPLATES: Readonly<Record<string, string>> = {
  '{project-root}': '@project',
  '{artifacts-root}': '@project/artifacts',
};

function toProjectPath(filled: string): string | undefined {
  const [template] = /^\{[a-z-]*root\}(?=\/|$)/.exec(filled) ?? [];
  const root = template === undefined ? '' : TEMPLATES[template];
  if (root === undefined) return undefined;
  const text = template === undefined ? filled : root + filled.slice(template.length);
  const bare = text.replace(/^(?:\.\/+)+/, '');
  if (bare === '' || bare === 'workflow.md' || NOT_HERE.test(bare)) return undefined;
  const whole = bare.startsWith('@') ? bare : `@project/${bare}`;
  const parts = whole.split('/').filter((part) => part !== '' && part !== '.');
  if (parts[0] !== '@project' || parts.length < 2 || parts.includes('..')) return undefined;
  return parts.join('/');
}

/** In the package, absolute, in the home folder, on a drive, a URL, or with an unresolved variable. */
const NOT_HERE = /^(?:steps|assets)\/|^[/~]|^[A-Za-z]:|:\/\/|\\|\{[A-Za-z_][\w-]*\}/;

interface NodeFilesProps {
  readonly projectId: string;
  readonly view: Readonly<Story>;
  readonly node: ProgressNode;
  readonly use: FileUse;
  /** Paths as the package writes them. */
  readonly written: readonly string[];
}

/** Files a node needs or creates, and whether they exist. */
export function NodeFiles({ projectId, view, node, use, written }: NodeFilesProps) {
  const { t } = useTranslation();
  const files = written.map((path) => toNodeFile(path, view.state.variables));
  const paths = files.flatMap(({ path }) => path ?? []);
  const { data: existing } = useExisting(projectId, paths, changeMarkOf(view));
  return (
    <ul className="flex flex-col gap-0.5">
      {files.map(({ name, path }) => {
        const isThere = path === undefined ? undefined : existing?.get(path);
        const standing = isThere === undefined ? undefined : standingOf(isThere, use, node.progress);
        const { Icon, ink } = FILE_LOOKS[standing ?? 'unknown'];
        const shown = <bdi className="min-w-0 font-mono text-sm wrap-anywhere">{toShownLine(name)}</bdi>;
        return (
          <li key={name} className="flex items-start gap-2">
            <Icon className={`mt-0.5 size-4 shrink-0 ${ink}`} />
            {standing === 'isThere' && path !== undefined ? (
              <button
                type="button"
                onClick={() => openFile(projectId, path)}
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
      })}
    </ul>
  );
}

export const FILE_LOOKS = {
  isThere: { Icon: FileCheck2, ink: 'text-ok' },
  isMissing: { Icon: FileX2, ink: 'text-warn' },
  isAhead: { Icon: FileClock, ink: 'text-ink-faint' },
  isNotNeeded: { Icon: FileMinus2, ink: 'text-ink-faint' },
  unknown: { Icon: FileQuestionMark, ink: 'text-ink-faint' },
} as const;
