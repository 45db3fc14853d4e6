/**
 * The HTTP application: guards, routes and static pages. Independent of a port; tests call it with a `Request`.
 */
import { CrewError } from '@crewagent/core';
import { API_ROOT } from '@crewagent/protocol/api/define-endpoint';
import { Hono } from 'hono';
import { toErrorResponse } from './error-response.ts';
import type { Router, ServerEnv } from './mount.ts';
import { mountAuthoring } from './routes/authoring.ts';
import { mountBundles } from './routes/bundles.ts';
import { mountCosts } from './routes/costs.ts';
import { mountFiles } from './routes/files.ts';
import { mountHooks } from './routes/hooks.ts';
import { mountImports } from './routes/imports.ts';
import { mountPackages } from './routes/packages.ts';
import { mountPreviews } from './routes/previews.ts';
import { mountProjects } from './routes/projects.ts';
import { mountSearch } from './routes/search.ts';
import { mountServers } from './routes/servers.ts';
import { mountSettings } from './routes/settings.ts';
import { mountEvents, mountStreams } from './routes/streams.ts';
import { mountSystem } from './routes/system.ts';
import { mountWorks } from './routes/works.ts';
import { mountWorksCommands } from './routes/works-commands.ts';
import { mountWorksInspector } from './routes/works-inspector.ts';
import type { Access } from './security/access.ts';
import { guardAccess, guardHost, guardOrigin } from './security/guard.ts';
import type { OwnHosts } from './security/own-hosts.ts';
import { addSecurityHeaders } from './security/security-headers.ts';
import type { ServerParts } from './server-parts.ts';
import type { StaticFiles } from './static-files.ts';

export interface AppOptions {
  readonly parts: ServerParts;
  readonly access: Access;
  readonly hosts: OwnHosts;
  /** Of a server behind a proxy; default: the host of each request, over http. */
  readonly publicOrigin?: string | undefined;
  readonly pages: StaticFiles;
  /** Answers requests of other programs' protocol below `/api/v1/mcp`, behind the same guards; loaded with the first one. */
  readonly openDoor?: (() => Promise<Door>) | undefined;
  /** Mounts further endpoints. */
  readonly mountMore?: ((router: Router) => void) | undefined;
  /** Time limit for receiving a JSON body. */
  readonly bodyTimeMs?: number;
  /** Validates every response against its schema; for tests. */
  readonly checksResponses?: boolean;
}

/** Another protocol at the same address. */
export interface Door {
  answer(request: Request): Promise<Response>;
  close(): Promise<void>;
}

const BODY_TIME_MS = 10_000;

export function createApp(options: AppOptions): Hono<ServerEnv> {
  const { parts, access, hosts, pages, bodyTimeMs = BODY_TIME_MS, checksResponses = false } = options;
  const app = new Hono<ServerEnv>();
  app.onError((error) => toErrorResponse(error, parts));
  app.use('*', addSecurityHeaders);
  app.use('*', guardHost(hosts));
  app.use('/api/*', guardOrigin(options.publicOrigin), guardAccess(access));

  const router: Router = { app, access, redact: parts.redact, bodyTimeMs, checksResponses };
  mountSystem(router, parts);
  mountProjects(router, parts);
  mountFiles(router, parts);
  mountPreviews(router, parts);
  mountPackages(router, parts);
  mountImports(router, parts);
  mountBundles(router, parts);
  mountAuthoring(router, parts);
  mountWorks(router, parts);
  mountWorksCommands(router, parts);
  mountWorksInspector(router, parts);
  mountSearch(router, parts);
  mountCosts(router, parts);
  mountSettings(router, parts);
  mountServers(router, parts);
  mountHooks(router, parts);
  mountEvents(router, parts);
  parts.onClose(mountStreams(router, parts));
  options.mountMore?.(router);
  const { openDoor } = options;
  if (openDoor) app.all(`${API_ROOT}/mcp`, async (c) => (await openDoor()).answer(c.req.raw));

  app.all('/api/*', () => {
    throw new CrewError(
      'NOT_FOUND',
      `No such endpoint. See ${API_ROOT}/openapi.json for the list of endpoints.`,
    );
  });
  app.on(['GET', 'HEAD'], '*', (c) => pages.answer(c.req.raw));
  app.notFound(() =>
    toErrorResponse(new CrewError('METHOD_REFUSED', 'Pages support GET and HEAD only.'), parts),
  );
  return app;
}
