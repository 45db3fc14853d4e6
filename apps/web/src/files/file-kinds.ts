/** How a file is displayed, by its name. */
import type { CodeLanguage } from '../ui/code/create-code-editor.ts';

export type FileKind = 'markdown' | 'table' | 'image' | 'drawing' | 'page' | 'text';

const EXTENSIONS: readonly (readonly [FileKind, readonly string[]])[] = [
  ['markdown', ['md', 'markdown']],
  ['table', ['csv', 'tsv']],
  ['image', ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'ico']],
  ['drawing', ['svg']],
  ['page', ['html', 'htm']],
];

export function kindOf(name: string): FileKind {
  const [kind] = EXTENSIONS.find(([, all]) => all.includes(extensionOf(name))) ?? [];
  return kind ?? 'text';
}

export function languageOf(name: string): CodeLanguage {
  return LANGUAGES.get(extensionOf(name)) ?? 'text';
}

const LANGUAGES: ReadonlyMap<string, CodeLanguage> = new Map([
  ['md', 'markdown'],
  ['markdown', 'markdown'],
  ['yaml', 'yaml'],
  ['yml', 'yaml'],
  ['json', 'json'],
]);

/** Lower case, without the dot; empty for names such as `.env`. */
function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}
