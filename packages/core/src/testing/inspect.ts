/**
 * Validates packages that exist only in a test.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { type Inspection, inspectPackage } from '../bmad/load-package.ts';
import { type Bend, type Files, samplePackage } from './packages/sample-package.ts';
import { tempFolder, writeTree } from './temp-folder.ts';

export const testContext: ValidationContext = { runtimeVersion: '0.1.0', knownServers: new Set(['github']) };

export async function inspectFiles(files: Readonly<Record<string, string | Buffer>>): Promise<Inspection> {
  const folder = await tempFolder();
  await writeTree(folder, files);
  return inspectPackage(folder, testContext);
}

export async function inspectBytes(bytes: Buffer | Uint8Array): Promise<Inspection> {
  const file = join(await tempFolder(), 'package.bmad');
  await writeFile(file, bytes);
  return inspectPackage(file, testContext);
}

/** The diagnostics of a modified sample, as short lines. */
export async function inspectSample(bend: Bend, files: Files = {}): Promise<string[]> {
  return codesOf(await inspectFiles(samplePackage(bend, files)));
}

/** The diagnostics as short lines: `CODE file pointer-or-line`. */
export function codesOf({ diagnostics }: Pick<Inspection, 'diagnostics'>): string[] {
  return diagnostics.map(({ code, file, pointer, line }) =>
    [code, file, pointer ?? line].filter(Boolean).join(' '),
  );
}
