/** How a file is displayed, by its name. */
import type { CodeLanguage } from '../ui/code/create-code-editor.ts';

export type FileKind = 'markdown' | 'table' | 'image' | 'drawing' | 'page' | 'text';

export function kindOf(name: string): FileKind {
  return KINDS[extensionOf(name)] ?? 'text';
}

export function languageOf(name: string): CodeLanguage {
  switch (extensionOf(name)) {
    case 'md':
    case 'markdown':
      return 'markdown';
    case 'yaml':
    case 'yml':
      return 'yaml';
    case 'json':
      return 'json';
    default:
      return 'text';
  }
}

/** Lower case, without the dot; empty for names such as `.env`. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

const KINDS: Readonly<Record<string, FileKind>> = {
  md: 'markdown',
  markdown: 'markdown',
  csv: 'table',
  tsv: 'table',
  png: 'image',
  jpg: 'image',
  jpeg: 'image',
  gif: 'image',
  webp: 'image',
  avif: 'image',
  bmp: 'image',
  ico: 'image',
  svg: 'drawing',
  html: 'page',
  htm: 'page',
};
