/** How a file is displayed, by its name. */
import { File, FileCode2, FileImage, FileSpreadsheet, FileText, type LucideIcon } from 'lucide-react';
import type { CodeLanguage } from '../ui/code/create-code-editor.ts';

type FileKind = 'markdown' | 'table' | 'image' | 'drawing' | 'page' | 'text';

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

/** Hidden from screen readers, because the name is next to it. */
export function FileIcon({ name }: { readonly name: string }) {
  const Icon = ICONS[kindOf(name)];
  return <Icon className="size-4 shrink-0 text-ink-faint" />;
}

const ICONS: Readonly<Record<FileKind, LucideIcon>> = {
  markdown: FileText,
  table: FileSpreadsheet,
  image: FileImage,
  drawing: FileImage,
  page: FileCode2,
  text: File,
};

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
