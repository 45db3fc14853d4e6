/** A folder that was dropped or chosen, as one file to upload. */
import { type FolderFile, isSkipped, packFolder } from './pack-folder.ts';

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
      if (isSkipped(entry.name)) continue;
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
  input.addEventListener('change', () => {
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
