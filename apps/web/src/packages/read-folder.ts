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

export interface FolderFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly file: Blob;
}

/** A folder beyond these is not what anybody meant to import; the server reads less. */
const MAX_FILES = 10_000;
const MAX_BYTES = 60 * 1024 * 1024;

const SKIPPED: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules']);

/** Version control and installed dependencies are left out. */
export function isSkipped(name: string): boolean {
  return SKIPPED.has(name);
}

/** A folder as an uncompressed zip, so that it is uploaded like one. Paths are relative to the folder. */
export async function packFolder(name: string, files: readonly FolderFile[]): Promise<File> {
  const packed = files.filter(({ path }) => !path.split('/').some(isSkipped));
  const bytes = packed.reduce((sum, { file }) => sum + file.size, 0);
  if (packed.length > MAX_FILES || bytes > MAX_BYTES)
    throw new ApiError(413, {
      code: 'FILE_TOO_LARGE',
      message: `"${name}" has ${packed.length} files and ${Math.ceil(bytes / 1024 / 1024)} MiB.`,
    });
  const locals: BlobPart[] = [];
  const central: BlobPart[] = [];
  let offset = 0;
  let centralBytes = 0;
  for (const { path, file } of packed) {
    const data = new Uint8Array(await file.arrayBuffer());
    const encoded = new TextEncoder().encode(path);
    const shared = sharedFields(encoded.length, data);
    const local = join([0x50, 0x4b, 3, 4], shared, encoded);
    const tail = new DataView(new ArrayBuffer(14));
    tail.setUint32(10, offset, true);
    const entry = join([0x50, 0x4b, 1, 2, 20, 0], shared, new Uint8Array(tail.buffer), encoded);
    locals.push(local, data);
    central.push(entry);
    offset += local.length + data.length;
    centralBytes += entry.length;
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, packed.length, true);
  end.setUint16(10, packed.length, true);
  end.setUint32(12, centralBytes, true);
  end.setUint32(16, offset, true);
  return new File([...locals, ...central, end], `${name}.zip`, { type: 'application/zip' });
}

/** The part that a local header and its central entry have in common: stored, UTF-8 names, no dates. */
function sharedFields(nameBytes: number, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(26));
  view.setUint16(0, 20, true);
  view.setUint16(2, 0x800, true);
  view.setUint32(6, 0x00210000, true);
  view.setUint32(10, crc32(data), true);
  view.setUint32(14, data.length, true);
  view.setUint32(18, data.length, true);
  view.setUint16(22, nameBytes, true);
  return new Uint8Array(view.buffer);
}

function join(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}
