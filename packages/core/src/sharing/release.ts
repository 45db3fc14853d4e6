/** A version of a package that is ready to be sent: valid, packed and signed. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackageSignature } from '@crewagent/protocol/package-signature';
import { CrewError } from '../base/crew-error.ts';
import { signHash } from '../base/signatures.ts';
import {
  hashArchive,
  readArchiveSignature,
  readUnsigned,
  withSignature,
} from '../bmad/archive/archive-signature.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import type { WorkflowPackage } from '../bmad/check/workflow-package.ts';
import { withValidPackage } from '../bmad/load-package.ts';
import { packFolder } from '../bmad/pack-package.ts';

/** What is sent: the archive with its signature. */
export interface Release {
  readonly loaded: WorkflowPackage;
  readonly hash: string;
  readonly archive: Buffer;
  readonly signature: PackageSignature | undefined;
  /** NAME-VERSION.bmad */
  readonly fileName: string;
}

/** Throws PACKAGE_INVALID. `privateKey`: PKCS #8; without it an archive keeps its signature. */
export async function toRelease(
  source: string,
  privateKey: string | undefined,
  scratch: string,
  context: ValidationContext,
): Promise<Release> {
  const { loaded, isArchive } = await withValidPackage(source, context, async ({ archive }, found) => ({
    loaded: found,
    isArchive: archive !== undefined,
  }));
  const path = isArchive ? source : join(scratch, 'package.bmad');
  // Secret files refuse it here.
  if (!isArchive) await packFolder(source, path, context);
  const handle = await open(path, 'r');
  try {
    const [hash, bytes] = [await hashArchive(handle), await readUnsigned(handle)];
    // A comment that is no signature would have to be replaced.
    if (bytes.readUInt16LE(bytes.length - 2) !== 0 && privateKey !== undefined)
      throw new CrewError(
        'USAGE',
        `"${source}" has a comment, so that it cannot be signed. Publish its folder.`,
      );
    // A file that somebody signed keeps its signature.
    const signature =
      privateKey === undefined ? await readArchiveSignature(handle) : signHash(hash, privateKey);
    const { name, version } = loaded.manifest;
    const fileName = `${toFileName(name)}-${toFileName(version)}.bmad`;
    return {
      loaded,
      hash,
      signature,
      fileName,
      archive: signature ? withSignature(bytes, signature) : bytes,
    };
  } finally {
    await handle.close();
  }
}

/** Package names may contain characters that file names may not. */
export function toFileName(text: string): string {
  const name = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._+-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, 80);
  return name || 'package';
}
