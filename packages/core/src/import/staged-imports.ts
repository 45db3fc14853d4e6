/**
 * Imports that a person looks at before they decide: each is a package folder in a private staging folder of the store, and
 * nothing of it is installed. Bounded in number; the oldest is discarded first. All are discarded when the server closes, and
 * those of a killed process by the sweep of staging folders.
 */
import { basename, join, resolve } from 'node:path';
import type { ImportReport } from '@crewagent/protocol/import-report';
import type { SourcePlace } from '@crewagent/protocol/package-origin';
import type { ReaderKind } from '@crewagent/protocol/reader-trials';
import { CrewError } from '../base/crew-error.ts';
import { withDiskErrors } from '../base/errno.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { type ImportResult, importPackage } from '../bmad/import-package.ts';
import { type Inspection, inspectPackage } from '../bmad/load-package.ts';
import { type Upload, withUpload } from '../bmad/receive-upload.ts';
import type { Count } from '../rehearse/coverage.ts';
import type { RehearsalReport } from '../rehearse/rehearse-package.ts';
import type { UserStore } from '../store/store.ts';

export interface StagedImport {
  readonly importId: string;
  readonly folder: string;
  readonly report: ImportReport;
  readonly inspection: Inspection;
  /** Where the source can be found again; undefined for an upload. */
  readonly place: SourcePlace | undefined;
  /** Deletes the folder. */
  remove(): Promise<void>;
}

export type StagedImports = ReturnType<typeof createStagedImports>;

const MAX_STAGED = 8;

export function createStagedImports(deps: {
  readonly store: Pick<UserStore, 'packages' | 'policy'>;
  readonly context: ValidationContext;
}) {
  const { store, context } = deps;
  const newId = createUuidV7(() => new Date());
  // Oldest first: a map keeps insertion order.
  const staged = new Map<string, StagedImport>();
  const progress = new Map<string, Count>();

  const remove = async (found: StagedImport): Promise<void> => {
    staged.delete(found.importId);
    await found.remove();
  };
  /** Throws NOT_FOUND for one that was installed or discarded. */
  const get = (importId: string): StagedImport => {
    const found = staged.get(importId);
    if (found) return found;
    throw new CrewError('NOT_FOUND', 'This import is no longer there. Drop the folder or zip again.');
  };
  const convert = async (source: string, name: string, place?: SourcePlace): Promise<StagedImport> => {
    const scratch = await withDiskErrors(`Could not import "${name}"`, () => store.packages.makeScratch());
    try {
      const folder = join(scratch.path, 'package');
      // Converting takes a large part of the code; most servers never import.
      const { importSource } = await import('./import-source.ts');
      const { report } = await importSource({ source, name, out: folder, context, rehearse: false });
      const inspection = await inspectPackage(folder, context);
      const added = { importId: newId(), folder, report, inspection, place, remove: () => scratch.remove() };
      staged.set(added.importId, added);
      for (const oldest of staged.values()) if (staged.size > MAX_STAGED) await remove(oldest);
      return added;
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  };

  return {
    /** Converts an uploaded zip. */
    receive: (upload: Upload) => withUpload(upload, store, (archive) => convert(archive, upload.name)),
    /** Converts a folder or zip of this machine. */
    async open(path: string): Promise<StagedImport> {
      return convert(path, basename(resolve(path)), { kind: 'path', path: resolve(path) });
    },
    get,
    /** Every branch, or every workflow as a reader. */
    async rehearse(
      importId: string,
      { as, signal }: { as?: ReaderKind | undefined; signal: AbortSignal },
    ): Promise<RehearsalReport> {
      const { folder } = get(importId);
      const { rehearsePackage } = await import('../rehearse/rehearse-package.ts');
      try {
        return await rehearsePackage({
          package: folder,
          context,
          signal,
          as: as && [as],
          onProgress: ({ allNodes }) => progress.set(importId, allNodes),
          onTrial: (_, steps) => progress.set(importId, steps),
        });
      } finally {
        progress.delete(importId);
      }
    },
    /** Steps that the rehearsal in progress has covered; undefined before its first run has ended, and while there is none. */
    rehearsalProgress: (importId: string): Count | undefined => progress.get(get(importId).importId),
    /** Installs the package; the staged folder is deleted then. */
    async install(importId: string): Promise<ImportResult> {
      const found = get(importId);
      const installed = await importPackage(found.folder, store, context, {
        shown: found.report.package.name,
        isPrivate: true,
        origin: found.place && { place: found.place, sha256: found.report.source.sha256, conversion: {} },
      });
      await remove(found);
      return installed;
    },
    discard: async (importId: string) => remove(get(importId)),
    async close(): Promise<void> {
      for (const found of staged.values()) await remove(found);
    },
  };
}
