/**
 * MCP servers. Values of variables and headers are write-only.
 */
import {
  approveServer,
  importServers,
  logOutOfServer,
  previewServers,
  putServer,
  removeServer,
  revokeServer,
  switchServer,
  testServer,
} from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { mount, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountServers(router: Router, { runtime }: ServerParts): void {
  const { servers } = ENDPOINTS;
  const { store } = runtime;
  mount(router, servers.list, async ({ query: { projectId } }) => runtime.listServers(projectId));
  mount(router, servers.put, ({ params, body: { server, values } }) =>
    putServer(store, params.server, server, values),
  );
  mount(router, servers.update, ({ params: { server }, body }) => switchServer(store, server, body));
  mount(router, servers.remove, ({ params: { server } }) => removeServer(store, server));
  const findProject = async (projectId: string | undefined) =>
    projectId === undefined ? undefined : await store.projects.read(projectId);
  mount(router, servers.test, async ({ params: { server }, body: { projectId }, signal }) =>
    testServer(store, server, { project: await findProject(projectId), signal }),
  );
  mount(router, servers.login, async ({ params: { server }, body: { projectId } }) => {
    const logins = await runtime.pendingLogins();
    return { url: await logins.start(server, await findProject(projectId)) };
  });
  mount(router, servers.logout, async ({ params: { server }, body: { projectId } }) => {
    const project = await findProject(projectId);
    const logins = await runtime.pendingLogins();
    if (!(await logins.cancel(server, project))) await logOutOfServer(store, server, project);
  });
  mount(router, servers.previewImport, async ({ body: { text } }) => previewServers(store, text));
  mount(router, servers.import, ({ body: { text, servers: chosen } }) => importServers(store, text, chosen));
  mount(router, servers.approve, ({ params: { projectId, server }, body: { hash } }) =>
    approveServer(store, projectId, { id: server, hash }),
  );
  mount(router, servers.revoke, ({ params: { projectId, server } }) =>
    revokeServer(store, projectId, server),
  );
}
