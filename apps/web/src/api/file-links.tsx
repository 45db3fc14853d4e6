/** Makes file paths in Markdown open project files: a path becomes a link once the server has found the file. */
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { openFile } from '../state/open-files.ts';
import {
  FileImageContext,
  type FileImageProps,
  FileLinkContext,
  type FileLinkProps,
} from '../ui/markdown/file-links.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useObjectUrl } from '../ui/use-object-url.ts';
import { useApiQuery } from './api-context.tsx';
import { FILE_KEYS, useFileBytes } from './files-queries.ts';

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
      <FileLinkContext value={ProjectFileLink}>
        <FileImageContext value={ProjectImage}>{children}</FileImageContext>
      </FileLinkContext>
    </ScopeContext>
  );
}

const ScopeContext = createContext({ projectId: '', folder: '' });

function ProjectFileLink({ path, children }: FileLinkProps): ReactNode {
  const { t } = useTranslation();
  const { projectId } = useContext(ScopeContext);
  const target = useProjectFile(path);
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

/** The mount path of the file that a path in a text means; undefined until it is found. */
function useProjectFile(path: string): string | undefined {
  const { projectId, folder } = useContext(ScopeContext);
  const { data: found } = useApiQuery(
    [...FILE_KEYS.all(projectId), 'find', path],
    ({ files }, call) => files.find({ projectId, query: { text: path, limit: '20' } }, call),
    { retry: false, staleTime: FRESH_MS },
  );
  return chooseFile(found?.paths ?? [], path, folder);
}

/** An image file of the project. Nothing in it runs or is fetched, also not in an SVG. */
function ProjectImage({ path, name, children }: FileImageProps): ReactNode {
  const target = useProjectFile(path);
  return IMAGE.test(path) && target !== undefined ? (
    <LoadedImage path={target} name={name}>
      {children}
    </LoadedImage>
  ) : (
    children
  );
}

const IMAGE = /\.(?:png|jpe?g|gif|webp|avif|bmp|svg)$/i;

function LoadedImage({ path, name, children }: FileImageProps): ReactNode {
  const { projectId } = useContext(ScopeContext);
  const { data, error } = useFileBytes(projectId, path, '');
  const [isBroken, setBroken] = useState(false);
  const url = useObjectUrl(data);
  if (error || isBroken) return children;
  if (url === undefined) return <Skeleton className="h-40 w-full" />;
  return (
    <img
      src={url}
      alt={name}
      onError={() => setBroken(true)}
      className="max-h-[70vh] max-w-full rounded-sm"
    />
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
