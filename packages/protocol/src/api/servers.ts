/**
 * MCP servers over HTTP. Values of variables and headers are write-only.
 */
import {
  mcpServerSchema,
  serverIdSchema,
  serverListSchema,
  serversPreviewSchema,
  serverTestSchema,
} from '../mcp.ts';
import { sandboxOptionsSchema } from '../sandbox.ts';
import { nonEmptySchema } from '../scalars.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { packageHashSchema, storeIdSchema } from './ids.ts';

const params = z.strictObject({ server: serverIdSchema });
const projectParams = z.strictObject({ projectId: storeIdSchema, server: serverIdSchema });
const fileTextSchema = z.string().check(z.maxLength(1_000_000));
const projectQuery = z.strictObject({ projectId: z.optional(storeIdSchema) });

export const servers = {
  list: defineEndpoint({
    method: 'GET',
    path: '/servers',
    summary: 'Lists the MCP servers of the settings and of a project, with status and tools of running ones.',
    query: projectQuery,
    response: serverListSchema,
  }),
  put: defineEndpoint({
    method: 'PUT',
    path: '/servers/:server',
    summary: 'Adds or replaces an MCP server in the settings, with its values.',
    params,
    body: z.strictObject({
      server: mcpServerSchema,
      /** Values of environment variables or headers, by name. */
      values: z._default(
        z.record(z.string().check(z.maxLength(200)), z.string().check(z.maxLength(10_000))),
        {},
      ),
    }),
  }),
  update: defineEndpoint({
    method: 'PATCH',
    path: '/servers/:server',
    summary:
      'Enables or disables an MCP server or some of its tools, marks it as trusted, or puts it into the sandbox.',
    params,
    body: z.strictObject({
      enabled: z.optional(z.boolean()),
      trusted: z.optional(z.boolean()),
      disabledTools: z.optional(z.array(nonEmptySchema)),
      /** null: without a sandbox. */
      sandbox: z.optional(z.nullable(sandboxOptionsSchema)),
    }),
  }),
  remove: defineEndpoint({
    method: 'DELETE',
    path: '/servers/:server',
    summary: 'Removes an MCP server and its values.',
    params,
  }),
  test: defineEndpoint({
    method: 'POST',
    path: '/servers/:server/test',
    summary: 'Starts an MCP server, lists its tools, and stops it.',
    params,
    body: projectQuery,
    response: serverTestSchema,
  }),
  login: defineEndpoint({
    method: 'POST',
    path: '/servers/:server/login',
    summary:
      'Starts a sign-in to an MCP server and returns the page for it; the list of servers says when it ended, and how.',
    params,
    body: projectQuery,
    response: z.strictObject({ url: z.string() }),
  }),
  logout: defineEndpoint({
    method: 'POST',
    path: '/servers/:server/logout',
    summary: 'Cancels a sign-in to an MCP server that is in progress, or else deletes its tokens.',
    params,
    body: projectQuery,
  }),
  previewImport: defineEndpoint({
    method: 'POST',
    path: '/servers/import/preview',
    summary: "Shows the MCP servers of another program's configuration file as they would be started.",
    body: z.strictObject({ text: fileTextSchema }),
    response: serversPreviewSchema,
  }),
  import: defineEndpoint({
    method: 'POST',
    path: '/servers/import',
    summary:
      "Adds the chosen MCP servers of another program's configuration file; existing servers are not changed.",
    body: z.strictObject({ text: fileTextSchema, servers: z._default(z.array(serverIdSchema), []) }),
    response: z.strictObject({ added: z.array(z.string()), issues: z.array(z.string()) }),
  }),
  approve: defineEndpoint({
    method: 'PUT',
    path: '/projects/:projectId/servers/:server',
    summary: "Approves a server of the project's own file, exactly as it was shown.",
    params: projectParams,
    body: z.strictObject({ hash: packageHashSchema }),
  }),
  revoke: defineEndpoint({
    method: 'DELETE',
    path: '/projects/:projectId/servers/:server',
    summary: "Revokes the approval of a server of the project's own file.",
    params: projectParams,
  }),
};
