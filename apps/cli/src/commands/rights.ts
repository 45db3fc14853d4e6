/** `crewagent rights`: the files that steps of a run used and did not declare, and adding them to the folder of the package. */
import { resolve } from 'node:path';
import {
  addDeclarations,
  CrewError,
  findPackageFolder,
  findRoot,
  readUndeclared,
  resolveRun,
} from '@crewagent/core';
import type { UndeclaredFile } from '@crewagent/protocol/api/file-use';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { say } from '../print/texts/say.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';

export interface RightsOptions {
  /** A folder, or true for the one that the package was installed from. */
  readonly add?: string | true;
  readonly json?: true;
}

export async function rights(ref: string, { add, json }: RightsOptions): Promise<ExitCode> {
  const { store } = openRuntime();
  const address = await findRoot(store, await resolveRun(store, ref));
  const { packageHash } = await store.works.read(address);
  const files = await readUndeclared(address, { store, context: validationContext });
  if (add === undefined || files.length === 0) {
    if (json) print(JSON.stringify({ files }));
    else printFiles(files, 'rights.used');
    return EXIT.ok;
  }
  const folder = add === true ? await findPackageFolder(store, packageHash) : resolve(add);
  if (folder === undefined)
    throw new CrewError(
      'PACKAGE_FOLDER_UNKNOWN',
      'The package of this run was not installed from a folder that is still there. Give the folder: crewagent rights RUN --add FOLDER.',
    );
  const { added, left } = await addDeclarations(folder, files, validationContext);
  if (json) print(JSON.stringify({ folder, added, left }));
  else {
    if (added.length > 0) printFiles(added, 'rights.added');
    if (left.length > 0) printFiles(left, 'rights.left');
    print(style('dim', `  ${sanitize(folder)}`));
  }
  return EXIT.ok;
}

function printFiles(
  files: readonly UndeclaredFile[],
  title: 'rights.used' | 'rights.added' | 'rights.left',
): void {
  if (files.length === 0) printDone(say('rights.none'));
  else print(style('bold', say(title, { count: files.length })));
  for (const { nodeId, access, path } of files)
    print(
      `  ${sanitize(nodeId, 100)}  ${say(`rights.${access}`)}  ${sanitize(path.replace(/^@project\//, ''), 300)}`,
    );
}
