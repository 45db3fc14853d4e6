/** Path of a file from the project down; each folder can be shown in the tree. */
import { ChevronRight } from 'lucide-react';
import { Fragment } from 'react';
import { useProjects } from '../../api/queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { changeLayout } from '../../state/layout.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useIsNarrow } from '../../ui/use-media.ts';
import { FileIcon } from '../file-icon.tsx';
import { foldersAbove, nameOf } from '../paths.ts';
import { showInTree, toggleFolder } from '../tree/tree-state.ts';

interface BreadcrumbProps {
  readonly projectId: string;
  readonly path: string;
}

export function Breadcrumb({ projectId, path }: BreadcrumbProps) {
  const { t } = useTranslation();
  const isNarrow = useIsNarrow();
  const { data: projects } = useProjects();
  const project = projects?.find((known) => known.projectId === projectId)?.name;
  const show = (folder: string): void => {
    changeLayout(projectId, { sidePanel: 'files' });
    showInTree(projectId, folder);
    toggleFolder(projectId, folder, true);
  };
  return (
    <nav aria-label={t('files.place')} className="min-w-40 grow basis-40">
      <ol className="flex min-w-0 items-center gap-0.5 text-ink-faint">
        {project === undefined ? undefined : (
          <li className="max-w-40 shrink truncate max-sm:hidden">{toShownLine(project)}</li>
        )}
        {foldersAbove(path).map((folder, index) => (
          <Fragment key={folder}>
            <Separator isFirst={index === 0} />
            <li className="min-w-10 shrink truncate">
              {isNarrow ? (
                toShownLine(nameOf(folder))
              ) : (
                <button
                  type="button"
                  onClick={() => show(folder)}
                  className="max-w-full truncate rounded-sm px-1 hover:bg-hover hover:text-ink"
                >
                  {toShownLine(nameOf(folder))}
                </button>
              )}
            </li>
          </Fragment>
        ))}
        <Separator isFirst={foldersAbove(path).length === 0} />
        <li
          aria-current="page"
          className="flex min-w-0 shrink-0 items-center gap-1.5 px-1 font-medium text-ink"
        >
          <FileIcon name={nameOf(path)} />
          <span className="max-w-72 truncate">{toShownLine(nameOf(path))}</span>
        </li>
      </ol>
    </nav>
  );
}

/** The first separator follows the project's name, which is hidden in narrow windows. */
function Separator({ isFirst }: { readonly isFirst: boolean }) {
  return (
    <li aria-hidden="true" className={`shrink-0 ${isFirst ? 'max-sm:hidden' : ''}`}>
      <ChevronRight className="size-3" />
    </li>
  );
}
