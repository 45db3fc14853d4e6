/** Makes file paths in Markdown open project files: a path becomes a link once the server has found the file. */
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { openFile } from '../state/open-files.ts';
import { FileLinkContext, type FileLinkProps } from '../ui/markdown/file-links.ts';
import { useApiQuery } from './api-context.tsx';
import { FILE_KEYS } from './files-queries.ts';

interface FileLinksProps {
  readonly projectId: string;
  /** Base folder of relative paths, such as `@project/docs`. */
  readonly folder?: string;
  readonly children: ReactNode;
}

export function FileLinks({ projectId, folder = ROOT, children }: FileLinksProps) {
  const scope = useMemo(() => ({ projectId, folder }), [projectId, folder]);
  return (
    <ScopeContext value={scope}>
      <FileLinkContext value={ProjectFileLink}>{children}</FileLinkContext>
    </ScopeContext>
  );
}

const ScopeContext = createContext({ projectId: '', folder: '' });

function ProjectFileLink({ path, children }: FileLinkProps): ReactNode {
  const { t } = useTranslation();
  const { projectId, folder } = useContext(ScopeContext);
  const { data: found } = useApiQuery(
    [...FILE_KEYS.all(projectId), 'find', path],
    ({ files }, call) => files.find({ projectId, query: { text: path, limit: '20' } }, call),
    { retry: false, staleTime: FRESH_MS },
  );
  const target = chooseFile(found?.paths ?? [], path, folder);
  if (target === undefined) return children;
  return (
    <button
      type="button"
      className="file-link"
      title={t('text.openFile')}
      onClick={() => openFile(projectId, target, { takesFocus: true })}
    >
      {children}
    </button>
  );
}

const ROOT = '@project';
/** A file that is mentioned before it is written becomes a link within this time. */
const FRESH_MS = 15_000;

/** Prefers the file next to the document, then the path from the project root, then the only file whose path ends with it. */
export function chooseFile(found: readonly string[], path: string, folder: string): string | undefined {
  const exact = [resolve(folder, path), resolve(ROOT, path)].find((one) => found.includes(one));
  if (exact !== undefined) return exact;
  const ending = found.filter((one) => one.endsWith(`/${path}`));
  return ending.length === 1 ? ending[0] : undefined;
}

function resolve(folder: string, path: string): string {
  const parts = folder.split('/');
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 1) parts.pop();
    else if (part !== '.' && part !== '..') parts.push(part);
  }
  return parts.join('/');
}
