/**
 * Projects over HTTP, and the folder picker. The only endpoints with paths of the machine.
 */
import { projectSchema, standingApprovalSchema } from '../project.ts';
import { shellSettingsSchema, shellStateSchema } from '../shell.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { flagSchema, pathSchema } from './ids.ts';
import { listMessageSchema } from './work-messages.ts';

export const shownProjectSchema = z.strictObject({
  ...projectSchema.shape,
  /** Whether the folder still exists. */
  exists: z.boolean(),
});
export type ShownProject = z.infer<typeof shownProjectSchema>;

const folderSchema = z.strictObject({ name: z.string(), path: z.string() });

export const projects = {
  list: defineEndpoint('GET /projects', 'Lists all projects, most recently opened first.', {
    response: z.strictObject({ projects: z.array(shownProjectSchema) }),
  }),
  open: defineEndpoint('POST /projects', 'Opens a folder as a project; `create` creates the folder first.', {
    body: z.strictObject({ path: pathSchema, create: z._default(z.boolean(), false) }),
    response: shownProjectSchema,
  }),
  show: defineEndpoint('GET /projects/:projectId', 'Shows one project.', { response: shownProjectSchema }),
  relink: defineEndpoint('POST /projects/:projectId/relink', 'Sets the new folder of a project.', {
    body: z.strictObject({ path: pathSchema }),
    response: shownProjectSchema,
  }),
  revoke: defineEndpoint(
    'POST /projects/:projectId/revoke',
    'Revokes a standing approval; running runs ask again from their next change on.',
    { body: standingApprovalSchema, response: shownProjectSchema },
  ),
  clear: defineEndpoint(
    'POST /projects/:projectId/clear',
    'Deletes the conversations and runs of a project permanently, except running ones. The folder is not changed.',
    { response: z.strictObject({ conversations: z.int(), runs: z.int(), kept: z.int() }) },
  ),
  forget: defineEndpoint(
    'DELETE /projects/:projectId',
    'Forgets a project with its conversations and runs; rejected while one of them is running. The folder is not changed.',
  ),
  shell: defineEndpoint(
    'GET /projects/:projectId/shell',
    'Shows what models may run as commands in a project, and the sandbox of this machine.',
    { response: shellStateSchema },
  ),
  changeShell: defineEndpoint(
    'PATCH /projects/:projectId/shell',
    'Changes what models may run as commands; applies from the next request of open Works on.',
    {
      body: z.strictObject({
        enabled: z.optional(z.boolean()),
        network: z.optional(z.boolean()),
        hosts: z.optional(shellSettingsSchema.shape.hosts.def.innerType),
        folders: z.optional(shellSettingsSchema.shape.folders.def.innerType),
        git: z.optional(z.boolean()),
        allow: z.optional(shellSettingsSchema.shape.allow.def.innerType),
      }),
      response: shellStateSchema,
    },
  ),
  close: defineEndpoint(
    'POST /projects/:projectId/close',
    'Releases the idle Works this server holds for a project. Running ones continue.',
  ),
  events: defineEndpoint(
    'GET /projects/:projectId/events',
    'Streams the runs and conversations of a project, and their changes.',
    { message: listMessageSchema },
  ),
};

export const folders = {
  list: defineEndpoint(
    'GET /folders',
    'Lists the folders in a folder, for a picker; default: the home folder. Never lists files.',
    {
      query: z.strictObject({ path: z.optional(pathSchema), hidden: z.optional(flagSchema) }),
      response: z.strictObject({
        path: z.string(),
        /** Missing at the root. */
        parent: z.optional(z.string()),
        folders: z.array(folderSchema),
        /** Starting points: the home folder, disks. */
        roots: z.array(folderSchema),
        /** There are more folders than are listed. */
        isCut: z.boolean(),
      }),
    },
  ),
  create: defineEndpoint('POST /folders', 'Creates a folder in a folder.', {
    body: z.strictObject({ parent: pathSchema, name: z.string().check(z.minLength(1), z.maxLength(255)) }),
    response: folderSchema,
    status: 201,
  }),
};
