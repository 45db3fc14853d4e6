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

const fileTextSchema = z.string().check(z.maxLength(1_000_000));
const projectQuery = z.strictObject({ projectId: z.optional(storeIdSchema) });

export const servers = {
  list: defineEndpoint(
    'GET /servers',
    'Lists the MCP servers of the settings and of a project, with status and tools of running ones.',
    { query: projectQuery, response: serverListSchema },
  ),
  put: defineEndpoint(
    'PUT /servers/:server',
    'Adds or replaces an MCP server in the settings, with its values.',
    {
      body: z.strictObject({
        server: mcpServerSchema,
        /** Values of environment variables or headers, by name. */
        values: z._default(
          z.record(z.string().check(z.maxLength(200)), z.string().check(z.maxLength(10_000))),
          {},
        ),
      }),
    },
  ),
  update: defineEndpoint(
    'PATCH /servers/:server',
    'Enables or disables an MCP server or some of its tools, marks it as trusted, or puts it into the sandbox.',
    {
      body: z.strictObject({
        enabled: z.optional(z.boolean()),
        trusted: z.optional(z.boolean()),
        disabledTools: z.optional(z.array(nonEmptySchema)),
        /** null: without a sandbox. */
        sandbox: z.optional(z.nullable(sandboxOptionsSchema)),
      }),
    },
  ),
  remove: defineEndpoint('DELETE /servers/:server', 'Removes an MCP server and its values.'),
  test: defineEndpoint('POST /servers/:server/test', 'Starts an MCP server, lists its tools, and stops it.', {
    body: projectQuery,
    response: serverTestSchema,
  }),
  login: defineEndpoint(
    'POST /servers/:server/login',
    'Starts a sign-in to an MCP server and returns the page for it; the list of servers says when it ended, and how.',
    { body: projectQuery, response: z.strictObject({ url: z.string() }) },
  ),
  logout: defineEndpoint(
    'POST /servers/:server/logout',
    'Cancels a sign-in to an MCP server that is in progress, or else deletes its tokens.',
    { body: projectQuery },
  ),
  previewImport: defineEndpoint(
    'POST /servers/import/preview',
    "Shows the MCP servers of another program's configuration file as they would be started.",
    { body: z.strictObject({ text: fileTextSchema }), response: serversPreviewSchema },
  ),
  import: defineEndpoint(
    'POST /servers/import',
    "Adds the chosen MCP servers of another program's configuration file; existing servers are not changed.",
    {
      body: z.strictObject({ text: fileTextSchema, servers: z._default(z.array(serverIdSchema), []) }),
      response: z.strictObject({ added: z.array(z.string()), issues: z.array(z.string()) }),
    },
  ),
  approve: defineEndpoint(
    'PUT /projects/:projectId/servers/:server',
    "Approves a server of the project's own file, exactly as it was shown.",
    { body: z.strictObject({ hash: packageHashSchema }) },
  ),
  revoke: defineEndpoint(
    'DELETE /projects/:projectId/servers/:server',
    "Revokes the approval of a server of the project's own file.",
  ),
};
