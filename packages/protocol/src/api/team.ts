/**
 * What a team server has beside accounts, over HTTP: projects that it holds itself, changes that could not be merged, workers and what
 * they do. Not part of the table of the local server.
 */
import { runPhaseSchema } from '../run.ts';
import { countSchema } from '../scalars.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { pathSchema, storeIdSchema } from './ids.ts';

const MAX_ARCHIVE_BYTES = 1024 ** 3;
const MAX_TEXT = 500_000;

const nameSchema = z.string().check(z.minLength(1), z.maxLength(200), z.regex(/^\P{C}+$/u, 'a line of text'));
const addressSchema = z.string().check(z.minLength(1), z.maxLength(2_000), z.regex(/^\P{C}+$/u));
const branchSchema = z.string().check(z.minLength(1), z.maxLength(250), z.regex(/^[^\s\p{C}]+$/u));

/** Where the files of a project come from. */
const projectSourceSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('upload') }),
  z.strictObject({
    kind: z.literal('git'),
    url: addressSchema,
    /** Default: the default branch of the repository. */
    branch: z.optional(branchSchema),
  }),
  /** A folder at the same path on all machines of the team. */
  z.strictObject({ kind: z.literal('folder'), path: pathSchema }),
]);
export type ShownSource = z.infer<typeof projectSourceSchema>;

const versionSchema = z.strictObject({
  /** The newest version of the project. */
  version: countSchema,
  /** How many changes could not be merged. */
  conflicts: countSchema,
});

/** Sent with a call and never stored. */
const gitCredentialsSchema = z.strictObject({
  user: z.string().check(z.maxLength(200)),
  password: z.string().check(z.minLength(1), z.maxLength(1_000)),
});

export const teamProjects = {
  create: defineEndpoint(
    'POST /team/projects',
    'Creates a project, from git with its files; who creates it manages it.',
    {
      body: z.strictObject({
        name: nameSchema,
        source: projectSourceSchema,
        credentials: z.optional(gitCredentialsSchema),
      }),
      response: z.strictObject({ projectId: storeIdSchema, name: z.string() }),
      status: 201,
    },
  ),
  source: defineEndpoint('GET /projects/:projectId/source', 'Shows where the files of a project come from.', {
    response: projectSourceSchema,
  }),
  uploadArchive: defineEndpoint(
    'POST /projects/:projectId/archive',
    'Unpacks a zip into a project as one version; files of the same path are replaced, others stay.',
    { acceptsBytes: true, maxBytes: MAX_ARCHIVE_BYTES, response: versionSchema },
  ),
  refresh: defineEndpoint(
    'POST /projects/:projectId/refresh',
    'Merges what is new in the branch of a project from git.',
    { body: z.strictObject({ credentials: z.optional(gitCredentialsSchema) }), response: versionSchema },
  ),
} as const;

/** One side of a conflict; null if that side deleted the file. */
const sideSchema = z.nullable(
  z.strictObject({
    bytes: countSchema,
    /** Of a text that is not too long. */
    text: z.optional(z.string()),
  }),
);

const conflictSchema = z.strictObject({
  conflictId: z.string(),
  path: z.string(),
  reason: z.enum(['lines', 'binary', 'deleted', 'name']),
  /** The run or conversation that made the change; missing if it came from the source of the project. */
  workId: z.optional(storeIdSchema),
  madeAt: z.iso.datetime(),
  /** What the project has. */
  project: sideSchema,
  /** What the Work made of it. */
  change: sideSchema,
});
export type ShownConflict = z.infer<typeof conflictSchema>;

const resolutionSchema = z.discriminatedUnion('take', [
  z.strictObject({ take: z.literal('project') }),
  z.strictObject({ take: z.literal('change') }),
  /** The project keeps its side and gets the other one under this path. */
  z.strictObject({ take: z.literal('both'), path: pathSchema }),
  z.strictObject({ take: z.literal('text'), text: z.string().check(z.maxLength(MAX_TEXT)) }),
]);
export type ConflictResolution = z.infer<typeof resolutionSchema>;

export const conflicts = {
  list: defineEndpoint(
    'GET /projects/:projectId/conflicts',
    'Lists the changes that could not be merged, oldest first, with both sides.',
    { response: z.strictObject({ conflicts: z.array(conflictSchema) }) },
  ),
  resolve: defineEndpoint(
    'POST /projects/:projectId/conflicts/:conflictId',
    'Resolves a conflict by one side, both, or a text.',
    {
      body: z.strictObject({ resolution: resolutionSchema }),
      response: z.strictObject({ version: countSchema }),
    },
  ),
} as const;

const workerSchema = z.strictObject({
  workerId: z.string(),
  /** For administrators. */
  host: z.optional(z.string()),
  version: z.string(),
  slots: countSchema,
  busy: countSchema,
  labels: z.array(z.string()),
  seenAt: z.iso.datetime(),
  /** It has not reported for a while. */
  isLost: z.boolean(),
  isDraining: z.boolean(),
});
export type ShownWorker = z.infer<typeof workerSchema>;

const queueSchema = z.strictObject({
  /** Commands that nobody has taken yet, of the visible projects. */
  open: countSchema,
  oldestAt: z.optional(z.iso.datetime()),
  projects: z.array(z.strictObject({ projectId: storeIdSchema, open: countSchema })),
  /** Works that no worker may execute: none has all of these labels. */
  unserved: z.array(z.strictObject({ labels: z.array(z.string()), works: countSchema })),
});
export type ShownQueue = z.infer<typeof queueSchema>;

const activeWorkSchema = z.strictObject({
  workId: storeIdSchema,
  projectId: storeIdSchema,
  title: z.string(),
  phase: runPhaseSchema,
  updatedAt: z.iso.datetime(),
  /** Whose it is: who started it, or whom it was handed over to. */
  person: z.optional(z.strictObject({ personId: storeIdSchema, name: z.string() })),
});
export type ActiveWork = z.infer<typeof activeWorkSchema>;

const inboxWorkSchema = z.extend(activeWorkSchema, {
  /** `waiting`: it is the person's and waits. Else: handed over to the person or by them, or a message names them. */
  reason: z.enum(['waiting', 'received', 'given', 'mentioned']),
  /** The other person, by name. */
  by: z.optional(z.string()),
});
export type InboxWork = z.infer<typeof inboxWorkSchema>;

export const inbox = {
  list: defineEndpoint('GET /team/inbox', 'Lists the Works that wait for the person, in all projects.', {
    response: z.strictObject({ works: z.array(inboxWorkSchema) }),
  }),
  handOver: defineEndpoint('POST /works/:workId/owner', 'Hands a Work over to another person.', {
    body: z.strictObject({ personId: storeIdSchema }),
  }),
  leave: defineEndpoint(
    'DELETE /works/:workId/inbox',
    'Removes a Work that was handed over or mentions the person from their inbox.',
  ),
} as const;

const waitingSchema = z.strictObject({
  /** When the oldest command in the queue was sent; undefined if none waits. */
  since: z.optional(z.iso.datetime()),
  /** What the Work asks of a worker. */
  labels: z.array(z.string()),
  /** Whether a worker has all of these labels. */
  isServed: z.boolean(),
});

export const activity = {
  workers: defineEndpoint('GET /team/workers', 'Lists the workers of the team.', {
    response: z.strictObject({ workers: z.array(workerSchema) }),
  }),
  queue: defineEndpoint('GET /team/queue', 'Shows how many commands wait for a worker.', {
    response: queueSchema,
  }),
  waiting: defineEndpoint('GET /works/:workId/queue', 'Shows since when a Work waits for a worker.', {
    response: waitingSchema,
  }),
  works: defineEndpoint(
    'GET /team/works',
    'Lists the Works that run or wait for somebody, with who started them, newest first.',
    { response: z.strictObject({ works: z.array(activeWorkSchema) }) },
  ),
} as const;
