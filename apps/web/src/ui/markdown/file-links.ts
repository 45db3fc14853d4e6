/** Which paths in Markdown are files that can be opened; the view of a project provides their links. */
import { type ComponentType, createContext, type ReactNode } from 'react';

export interface FileLinkProps {
  /** Without a mount; relative to the document or to the project. */
  readonly path: string;
  /** Shown as a link where the file exists, and as it is where it does not. */
  readonly children: ReactNode;
}

export const FileLinkContext = createContext<ComponentType<FileLinkProps> | undefined>(undefined);

/** A code span or the address of a link as a path; undefined for what does not look like a file of the project. */
export function toPath(target: string): string | undefined {
  const path = target
    .replace(/^@project\//, '')
    .replace(/^\.\//, '')
    .replace(/[#?].*$/, '');
  if (path.length > LONGEST || !PATH.test(path)) return undefined;
  return /\.[A-Za-z][\w-]{0,9}$/.test(path) ? path : undefined;
}

const LONGEST = 240;
const PATH = /^[^\s@:*<>|"'`\\/][^:*<>|"`\\\n]*$/;
