/** Package folders that an author edits. */
import type { AuthorFolders } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { mount, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';
import { toRehearsal } from './imports.ts';

export function mountAuthoring(router: Router, { heldFolders }: ServerParts): void {
  const { authoring } = ENDPOINTS;
  const toOpened = async ({ folderId, folder }: Awaited<ReturnType<AuthorFolders['open']>>) => ({
    folderId,
    path: folder.root,
    model: await folder.model(),
  });
  const folderOf = async ({ folderId }: { folderId: string }) => (await heldFolders.of()).get(folderId);

  mount(router, authoring.open, async ({ body }) => toOpened(await (await heldFolders.of()).open(body.path)));
  mount(router, authoring.create, async ({ body: { path, name } }) =>
    toOpened(await (await heldFolders.of()).create(path, name)),
  );
  mount(router, authoring.show, async ({ params }) => (await folderOf(params)).model());
  mount(router, authoring.read, async ({ params, query }) => (await folderOf(params)).read(query.path));
  mount(router, authoring.edit, async ({ params, body: { edit, seen } }) =>
    (await folderOf(params)).apply(edit, seen),
  );
  mount(router, authoring.undo, async ({ params }) => (await folderOf(params)).undo());
  mount(router, authoring.redo, async ({ params }) => (await folderOf(params)).redo());
  mount(router, authoring.prompt, async ({ params: { folderId }, body: { unsaved, variables, ...at } }) =>
    (await heldFolders.of()).prompt(folderId, {
      ...at,
      unsaved: new Map(Object.entries(unsaved)),
      given: { texts: new Map(Object.entries(variables)) },
    }),
  );
  mount(router, authoring.rehearse, async ({ params: { folderId }, signal }) =>
    toRehearsal(await (await heldFolders.of()).rehearse(folderId, signal)),
  );
  mount(router, authoring.test, async ({ params: { folderId }, signal }) =>
    (await heldFolders.of()).test(folderId, signal),
  );
}
