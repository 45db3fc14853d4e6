/**
 * Projects over HTTP, and the folder picker. The only endpoints with paths of the machine.
 */
import { projectSchema, standingApprovalSchema } from '../project.ts';
import { shellSettingsSchema, shellStateSchema } from '../shell.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { flagSchema, pathSchema, storeIdSchema } from './ids.ts';
import { listMessageSchema } from './work-messages.ts';

const params = z.strictObject({ projectId: storeIdSchema });

export const shownProjectSchema = z.strictObject({
  ...projectSchema.shape,
  /** Whether the folder still exists. */
  exists: z.boolean(),
});
export type ShownProject = z.infer<typeof shownProjectSchema>;

const folderSchema = z.strictObject({ name: z.string(), path: z.string() });

export const projects = {
  list: defineEndpoint({
    method: 'GET',
    path: '/projects',
    summary: 'Lists all projects, most recently opened first.',
    response: z.strictObject({ projects: z.array(shownProjectSchema) }),
  }),
  open: defineEndpoint({
    method: 'POST',
    path: '/projects',
    summary: 'Opens a folder as a project; `create` creates the folder first.',
    body: z.strictObject({ path: pathSchema, create: z._default(z.boolean(), false) }),
    response: shownProjectSchema,
  }),
  show: defineEndpoint({
    method: 'GET',
    path: '/projects/:projectId',
    summary: 'Shows one project.',
    params,
    response: shownProjectSchema,
  }),
  relink: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/relink',
    summary: 'Sets the new folder of a project.',
    params,
    body: z.strictObject({ path: pathSchema }),
    response: shownProjectSchema,
  }),
  revoke: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/revoke',
    summary: 'Revokes a standing approval; running runs ask again from their next change on.',
    params,
    body: standingApprovalSchema,
    response: shownProjectSchema,
  }),
  clear: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/clear',
    summary:
      'Deletes the conversations and runs of a project permanently, except running ones. The folder is not changed.',
    params,
    response: z.strictObject({ conversations: z.int(), runs: z.int(), kept: z.int() }),
  }),
  forget: defineEndpoint({
    method: 'DELETE',
    path: '/projects/:projectId',
    summary:
      'Forgets a project with its conversations and runs; rejected while one of them is running. The folder is not changed.',
    params,
  }),
  shell: defineEndpoint({
    method: 'GET',
    path: '/projects/:projectId/shell',
    summary: 'Shows what models may run as commands in a project, and the sandbox of this machine.',
    params,
    response: shellStateSchema,
  }),
  changeShell: defineEndpoint({
    method: 'PATCH',
    path: '/projects/:projectId/shell',
    summary: 'Changes what models may run as commands; applies from the next request of open Works on.',
    params,
    body: z.strictObject({
      enabled: z.optional(z.boolean()),
      network: z.optional(z.boolean()),
      hosts: z.optional(shellSettingsSchema.shape.hosts.def.innerType),
      folders: z.optional(shellSettingsSchema.shape.folders.def.innerType),
      git: z.optional(z.boolean()),
      allow: z.optional(shellSettingsSchema.shape.allow.def.innerType),
    }),
    response: shellStateSchema,
  }),
  close: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/close',
    summary: 'Releases the idle Works this server holds for a project. Running ones continue.',
    params,
  }),
  events: defineEndpoint({
    method: 'GET',
    path: '/projects/:projectId/events',
    summary: 'Streams the runs and conversations of a project, and their changes.',
    params,
    message: listMessageSchema,
  }),
};

export const folders = {
  list: defineEndpoint({
    method: 'GET',
    path: '/folders',
    summary: 'Lists the folders in a folder, for a picker; default: the home folder. Never lists files.',
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
  }),
  create: defineEndpoint({
    method: 'POST',
    path: '/folders',
    summary: 'Creates a folder in a folder.',
    body: z.strictObject({ parent: pathSchema, name: z.string().check(z.minLength(1), z.maxLength(255)) }),
    response: folderSchema,
    status: 201,
  }),
};
