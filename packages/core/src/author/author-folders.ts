/** The package folders that people have opened for editing: only these are read and written. Bounded; the oldest is closed first. */
import { dirname, resolve } from 'node:path';
import type { ShownPrompt } from '@crewagent/protocol/api/shown-context';
import type { PackageTestReport } from '@crewagent/protocol/package-tests';
import { CrewError } from '../base/crew-error.ts';
import { isInside } from '../base/is-inside.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { createPackage } from '../bmad/new-package.ts';
import { testPackage } from '../package-tests/test-package.ts';
import { type RehearsalReport, rehearsePackage } from '../rehearse/rehearse-package.ts';
import { type PromptRequest, showPrompt } from '../rehearse/show-prompt.ts';
import { realFolder, resolveFolder, resolvePrivate } from '../store/project-store.ts';
import { type AuthorFolder, openAuthorFolder } from './author-folder.ts';

export type AuthorFolders = ReturnType<typeof createAuthorFolders>;

const MAX_FOLDERS = 16;

/** `privateFolder`: the store; a package in it is installed and never changes. */
export function createAuthorFolders(deps: {
  readonly privateFolder: string;
  readonly context: ValidationContext;
}) {
  const { privateFolder, context } = deps;
  const newId = createUuidV7(() => new Date());
  // Oldest first: a map keeps insertion order.
  const opened = new Map<string, AuthorFolder>();

  const get = (folderId: string): AuthorFolder => {
    const found = opened.get(folderId);
    if (found) return found;
    throw new CrewError('NOT_FOUND', 'This package folder is no longer open. Open it again.');
  };
  /** Throws for a folder that cannot be a project either. */
  const open = async (path: string): Promise<{ folderId: string; folder: AuthorFolder }> => {
    const root = await resolveFolder(resolve(path), privateFolder);
    const known = [...opened].find(([, folder]) => folder.root === root);
    const folderId = known?.[0] ?? newId();
    const folder = known?.[1] ?? openAuthorFolder(root, context);
    opened.delete(folderId);
    opened.set(folderId, folder);
    for (const [oldest, { close }] of opened) {
      if (opened.size <= MAX_FOLDERS) break;
      opened.delete(oldest);
      await close();
    }
    return { folderId, folder };
  };

  return {
    open,
    /** A new package with two steps in an empty or new folder. */
    async create(path: string, name: string): Promise<{ folderId: string; folder: AuthorFolder }> {
      const parent = await realFolder(dirname(resolve(path)));
      if (isInside(parent, await resolvePrivate(privateFolder)))
        throw new CrewError(
          'USAGE',
          `"${path}" lies in the private store of crewagent; choose another folder.`,
        );
      await createPackage(resolve(path), name);
      return open(path);
    },
    get,
    /** What a model would be sent at a node, with texts that are not saved. */
    prompt: async (
      folderId: string,
      request: Pick<PromptRequest, 'workflow' | 'nodeId' | 'given' | 'unsaved'>,
    ): Promise<ShownPrompt> => showPrompt({ ...request, package: get(folderId).root, context }),
    rehearse: async (folderId: string, signal: AbortSignal): Promise<RehearsalReport> =>
      rehearsePackage({ package: get(folderId).root, context, signal }),
    test: async (folderId: string, signal: AbortSignal): Promise<PackageTestReport> =>
      testPackage({ folder: get(folderId).root, context, signal }),
    async close(): Promise<void> {
      for (const folder of opened.values()) await folder.close();
      opened.clear();
    },
  };
}
