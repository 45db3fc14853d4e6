/** A folder that was dropped or chosen, as one file to upload. */
import { ApiError } from '@crewagent/protocol/api/client';

/** The dropped folder as a zip, or the dropped file. Must be called before the drop event ends. */
export function readDropped(transfer: DataTransfer): Promise<File> | File | undefined {
  const [item] = [...transfer.items].filter(({ kind }) => kind === 'file');
  const entry = item?.webkitGetAsEntry?.();
  const [file] = transfer.files;
  return entry?.isDirectory ? packDropped(entry as FileSystemDirectoryEntry) : file;
}

async function packDropped(folder: FileSystemDirectoryEntry): Promise<File> {
  const files: FolderFile[] = [];
  const pending: { readonly entry: FileSystemDirectoryEntry; readonly path: string }[] = [
    { entry: folder, path: '' },
  ];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const entry of await entriesOf(next.entry)) {
      const path = `${next.path}${entry.name}`;
      if (SKIPPED.has(entry.name)) continue;
      if (entry.isDirectory) pending.push({ entry: entry as FileSystemDirectoryEntry, path: `${path}/` });
      else files.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
    }
  }
  return packFolder(folder.name, files);
}

/** Browsers return at most a hundred entries at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}

/** Opens the browser's folder chooser. */
export function chooseFolder(onChosen: (zip: Promise<File>) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.webkitdirectory = true;
  // In the document, or the browser may collect it before a folder is chosen, and nothing happens then.
  input.hidden = true;
  document.body.append(input);
  input.addEventListener('cancel', () => input.remove());
  input.addEventListener('change', () => {
    input.remove();
    const files = [...(input.files ?? [])];
    const [name = ''] = files[0]?.webkitRelativePath.split('/') ?? [];
    if (files.length === 0) return;
    onChosen(
      packFolder(
        name,
        files.map((file) => ({ path: file.webkitRelativePath.slice(name.length + 1), file })),
      ),
    );
  });
  input.click();
}

interface FolderFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly file: Blob;
}

/** A folder beyond these is not what anybody meant to import; the server reads less. */
const MAX_FILES = 10_000;
const MAX_BYTES = 60 * 1024 * 1024;

/** Version control and installed dependencies. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules']);

/** A folder as an uncompressed zip, so that it is uploaded like one. Paths are relative to the folder. */
export async function packFolder(name: string, files: readonly FolderFile[]): Promise<File> {
  const packed = files.filter(({ path }) => !path.split('/').some((part) => SKIPPED.has(part)));
  const bytes = packed.reduce((sum, { file }) => sum + file.size, 0);
  if (packed.length > MAX_FILES || bytes > MAX_BYTES)
    throw new ApiError(413, {
      code: 'FILE_TOO_LARGE',
      message: `"${name}" has ${packed.length} files and ${Math.ceil(bytes / 1024 / 1024)} MiB.`,
    });
  const { zipSync } = await import('fflate');
  const entries = packed.map(
    async ({ path, file }) => [path, new Uint8Array(await file.arrayBuffer())] as const,
  );
  const zip = zipSync(Object.fromEntries(await Promise.all(entries)), { level: 0, mtime: new Date(1980, 0) });
  return new File([zip], `${name}.zip`, { type: 'application/zip' });
}
