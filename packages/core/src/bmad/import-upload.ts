/**
 * An uploaded archive, installed or only inspected. Its name is never used as a path.
 */
import type { UserStore } from '../store/store.ts';
import { type ImportResult, importPackage } from './import-package.ts';
import { type Inspection, inspectPackage } from './load-package.ts';
import { type Upload, withUpload } from './receive-upload.ts';
import type { ValidationContext } from './validate-package.ts';

interface UploadDeps {
  readonly store: Pick<UserStore, 'packages'>;
  readonly context: ValidationContext;
}

export async function importUpload(upload: Upload, { store, context }: UploadDeps): Promise<ImportResult> {
  return withUpload(upload, store, (archive) =>
    importPackage(archive, store, context, { shown: upload.name }),
  );
}

/** Validates the upload without installing it. */
export async function inspectUpload(upload: Upload, { store, context }: UploadDeps): Promise<Inspection> {
  return withUpload(upload, store, (archive) => inspectPackage(archive, context, { shown: upload.name }));
}
