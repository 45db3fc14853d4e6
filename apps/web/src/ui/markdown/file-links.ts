/** Which paths in Markdown are links to files; the project's screen provides the link component. */
import { type ComponentType, createContext, type ReactNode } from 'react';

export interface FileLinkProps {
  /** Without a mount; relative to the document or to the project. */
  readonly path: string;
  /** Wrapped in a link if the file exists, rendered as is otherwise. */
  readonly children: ReactNode;
}

export const FileLinkContext = createContext<ComponentType<FileLinkProps> | undefined>(undefined);

export interface FileImageProps extends FileLinkProps {
  /** What the author says is in the image. */
  readonly name: string;
}

/** Shows an image of the project in place of its children, once it is found. */
export const FileImageContext = createContext<ComponentType<FileImageProps> | undefined>(undefined);

/** A code span or link target as a path; undefined if it does not look like a project file. */
export function toPath(target: string): string | undefined {
  const path = target
    .replace(/^@project\//, '')
    .replace(/^\.\//, '')
    .replace(/[#?].*$/, '');
  if (path.length > MAX_PATH_CHARS || !PATH.test(path)) return undefined;
  return /\.[A-Za-z][\w-]{0,9}$/.test(path) ? path : undefined;
}

const MAX_PATH_CHARS = 240;
const PATH = /^[^\s@:*<>|"'`\\/][^:*<>|"`\\\n]*$/;
