/**
 * Projects over HTTP, and the folders one can choose for them. The only endpoints that name places of the machine.
 */
import { projectSchema, standingApprovalSchema } from '../project.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { flagSchema, pathSchema, storeIdSchema } from './ids.ts';
import { listMessageSchema } from './work-messages.ts';

const params = z.strictObject({ projectId: storeIdSchema });

export const shownProjectSchema = z.strictObject({
  ...projectSchema.shape,
  /** The folder is where it was. */
  exists: z.boolean(),
});
export type ShownProject = z.infer<typeof shownProjectSchema>;

const folderSchema = z.strictObject({ name: z.string(), path: z.string() });

export const projects = {
  list: defineEndpoint({
    method: 'GET',
    path: '/projects',
    summary: 'All projects, the one that was opened last first.',
    response: z.strictObject({ projects: z.array(shownProjectSchema) }),
  }),
  open: defineEndpoint({
    method: 'POST',
    path: '/projects',
    summary: 'Opens a folder as a project; with `create` the folder is made first.',
    body: z.strictObject({ path: pathSchema, create: z.boolean().default(false) }),
    response: shownProjectSchema,
  }),
  show: defineEndpoint({
    method: 'GET',
    path: '/projects/:projectId',
    summary: 'One project.',
    params,
    response: shownProjectSchema,
  }),
  relink: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/relink',
    summary: 'Says where the folder of a project is now.',
    params,
    body: z.strictObject({ path: pathSchema }),
    response: shownProjectSchema,
  }),
  revoke: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/revoke',
    summary: 'Takes back what a person always allowed; runs that go on ask again from their next change on.',
    params,
    body: standingApprovalSchema,
    response: shownProjectSchema,
  }),
  clear: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/clear',
    summary:
      'Deletes the conversations and runs of a project for good, except those that go on. The folder stays as it is.',
    params,
    response: z.strictObject({ conversations: z.int(), runs: z.int(), kept: z.int() }),
  }),
  forget: defineEndpoint({
    method: 'DELETE',
    path: '/projects/:projectId',
    summary:
      'Forgets a project with its conversations and runs; refused while one of them goes on. The folder stays.',
    params,
  }),
  close: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/close',
    summary: 'Lets go of what this server holds for a project and nobody works on. Runs that go on go on.',
    params,
  }),
  events: defineEndpoint({
    method: 'GET',
    path: '/projects/:projectId/events',
    summary: 'The runs and conversations of a project, and each change of one as it happens.',
    params,
    message: listMessageSchema,
  }),
};

export const folders = {
  list: defineEndpoint({
    method: 'GET',
    path: '/folders',
    summary: 'The folders in a folder, for choosing one; the home folder if none is named. Never files.',
    query: z.strictObject({ path: pathSchema.optional(), hidden: flagSchema.optional() }),
    response: z.strictObject({
      path: z.string(),
      /** Missing at the top. */
      parent: z.string().optional(),
      folders: z.array(folderSchema),
      /** Where one may start: the home folder, disks. */
      roots: z.array(folderSchema),
      /** There are more folders than are listed. */
      isCut: z.boolean(),
    }),
  }),
  create: defineEndpoint({
    method: 'POST',
    path: '/folders',
    summary: 'Makes a folder in a folder.',
    body: z.strictObject({ parent: pathSchema, name: z.string().min(1).max(255) }),
    response: folderSchema,
    status: 201,
  }),
};
