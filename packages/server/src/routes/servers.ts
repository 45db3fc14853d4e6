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
  mount(router, servers.put, async ({ params, body: { server, values } }) => {
    await putServer(store, params.server, server, values);
    return undefined;
  });
  mount(router, servers.update, async ({ params: { server }, body }) => {
    await switchServer(store, server, body);
    return undefined;
  });
  mount(router, servers.remove, async ({ params: { server } }) => {
    await removeServer(store, server);
    return undefined;
  });
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
    return undefined;
  });
  mount(router, servers.previewImport, async ({ body: { text } }) => previewServers(store, text));
  mount(router, servers.import, async ({ body: { text, servers: chosen } }) => {
    const { added, issues } = await importServers(store, text, chosen);
    return { added: [...added], issues: [...issues] };
  });
  mount(router, servers.approve, async ({ params: { projectId, server }, body: { hash } }) => {
    await approveServer(store, projectId, { id: server, hash });
    return undefined;
  });
  mount(router, servers.revoke, async ({ params: { projectId, server } }) => {
    await revokeServer(store, projectId, server);
    return undefined;
  });
}
