/**
 * Writes a package folder as a `.bmad` archive. Deterministic: names are sorted, the date is fixed, and the compressor is
 * written in JavaScript (the native one differs between machines).
 */
import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import { deflateSync, Zip, type ZipInputFile } from 'fflate';
import { CrewError } from '../base/crew-error.ts';
import { replaceFile } from '../base/durable-files.ts';
import { withDiskErrors } from '../base/errno.ts';
import { makeFolderOf } from '../base/make-folders.ts';
import { sweepTempFiles } from '../base/staging.ts';
import { LIMITS } from './archive/entry-rules.ts';
import type { OpenOptions, OpenPackage } from './archive/open-package.ts';
import { DamagedFile, type PackageFiles } from './archive/package-files.ts';
import type { ValidationContext } from './check/validate-package.ts';
import type { WorkflowPackage } from './check/workflow-package.ts';
import { invalidPackage, withValidPackage } from './load-package.ts';

export interface PackResult {
  readonly package: WorkflowPackage;
  readonly sha256: string;
  readonly bytes: number;
  readonly files: number;
  readonly warnings: readonly Diagnostic[];
}

export interface PackOptions extends Pick<OpenOptions, 'isInstalled' | 'unsaved'> {
  /** Secret files are left out without an error, because the archive stays on this machine. */
  readonly isPrivate?: boolean;
}

/** Validates `folder` and packs it into `target`, which is replaced atomically. */
export async function packFolder(
  folder: string,
  target: string | ((loaded: WorkflowPackage) => string),
  context: ValidationContext,
  { isPrivate = false, isInstalled = false, ...unsaved }: PackOptions = {},
): Promise<PackResult & { target: string }> {
  const pack = async (
    { archive, files }: OpenPackage,
    loaded: WorkflowPackage,
    warnings: readonly Diagnostic[],
  ): Promise<PackResult & { target: string }> => {
    if (archive)
      throw new CrewError('USAGE', `"${folder}" is already packed. Use the folder that contains bmad.json.`);
    const secrets = warnings.filter(({ code }) => code === 'SECRET_FILE');
    if (secrets.length > 0 && !isPrivate)
      throw invalidPackage(
        folder,
        secrets.map((found) => ({ ...found, severity: 'error' })),
      );
    const path = typeof target === 'string' ? target : target(loaded);
    const written = await withDiskErrors(`Could not write "${path}"`, () => writeArchive(files, path));
    return { target: path, package: loaded, files: files.paths.size, warnings, ...written };
  };
  const exclude = typeof target === 'string' ? { exclude: resolve(target) } : {};
  return withValidPackage(resolve(folder), context, pack, {
    ...{ ...exclude, ...unsaved, isInstalled },
    shown: folder,
  });
}

async function writeArchive(files: PackageFiles, target: string): Promise<{ sha256: string; bytes: number }> {
  makeFolderOf(target);
  await sweepTempFiles(dirname(target), { isDeep: false });
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    await replaceFile(
      target,
      (write) =>
        zipInto(files, async (chunk) => {
          hash.update(chunk);
          bytes += chunk.length;
          await write(chunk);
        }),
      0o644,
    );
  } catch (error) {
    if (error instanceof DamagedFile)
      throw new CrewError(
        'PACKAGE_CHANGED',
        `The package changed while it was being packed: ${error.message}. Try again.`,
      );
    throw error;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** Holds one file in memory at a time. */
async function zipInto(files: PackageFiles, write: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  let pending: Uint8Array[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, chunk) => {
    failure ??= error;
    pending.push(chunk);
  });
  const flush = async (): Promise<void> => {
    if (failure) throw failure;
    const chunks = pending;
    pending = [];
    for (const chunk of chunks) await write(chunk);
  };
  for (const path of [...files.paths].sort()) {
    const { entry, data } = toEntry(path, await files.read(path));
    zip.add(entry);
    entry.ondata?.(null, data, true);
    await flush();
  }
  zip.end();
  await flush();
}

/** Stored uncompressed if compression gains nothing, or so much that a reader would take it for a zip bomb. */
function toEntry(path: string, content: Buffer): { entry: ZipInputFile; data: Uint8Array<ArrayBuffer> } {
  const deflated = deflateSync(content, { level: 6 });
  const isStored = deflated.length >= content.length || content.length > deflated.length * LIMITS.ratio;
  const entry: ZipInputFile = {
    filename: path,
    size: content.length,
    crc: crc32(content),
    compression: isStored ? 0 : 8,
    os: 3,
    attrs: 0o100644 * 0x10000,
    // Local fields, because the archive stores local time: every machine writes the same bytes.
    mtime: new Date(1980, 0, 1, 0, 0, 0),
  };
  return { entry, data: isStored ? new Uint8Array(content) : deflated };
}
