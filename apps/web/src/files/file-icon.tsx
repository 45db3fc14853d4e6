/** Icon of a file by its name. Hidden from screen readers, because the name is next to it. */
import { File, FileCode2, FileImage, FileSpreadsheet, FileText, type LucideIcon } from 'lucide-react';
import { type FileKind, kindOf } from './file-kinds.ts';

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
