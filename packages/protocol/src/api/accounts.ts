/**
 * Accounts of a team server over HTTP: signing in, people, roles in projects, tokens, the audit log. Not part of the table of the local
 * server, nor of the page.
 */
import { roleSchema } from '../roles.ts';
import { countSchema } from '../scalars.ts';
import * as z from '../zod.ts';
import { defineEndpoint, type EndpointGroup } from './define-endpoint.ts';
import { queryCountSchema, storeIdSchema } from './ids.ts';
import { quotas } from './quotas.ts';
import { labelsSchema } from './run-options.ts';
import { activity, conflicts, inbox, teamProjects } from './team.ts';
import { transfers } from './transfers.ts';

/** One line without control characters. */
const lineSchema = z.string().check(z.minLength(1), z.maxLength(200), z.regex(/^\P{C}+$/u, 'a line of text'));
const emailSchema = z
  .string()
  .check(z.maxLength(254), z.regex(/^[^\s\p{C}@]+@[^\s\p{C}@]+$/u, 'an e-mail address'));
/** Any text: rules for new passwords are checked where they are hashed. */
const passwordSchema = z.string().check(z.minLength(1), z.maxLength(1_000));
const linkTokenSchema = z.string().check(z.regex(/^[\w-]{43}$/, 'the token of a link'));

export const personSchema = z.strictObject({
  personId: storeIdSchema,
  email: z.string(),
  name: z.string(),
  isAdmin: z.boolean(),
  isDisabled: z.boolean(),
  createdAt: z.iso.datetime(),
});
export type Person = z.infer<typeof personSchema>;

const meSchema = z.strictObject({
  person: personSchema,
  /** By project; an administrator has every right in all of them. */
  roles: z.record(z.string(), roleSchema),
  hasPassword: z.boolean(),
  passkeys: countSchema,
  /** Endpoints of a local server that this one does not have, such as `folders.list`. */
  absent: z.array(z.string()),
});
export type Me = z.infer<typeof meSchema>;

const sessionSchema = z.strictObject({
  sessionId: storeIdSchema,
  userAgent: z.string(),
  address: z.string(),
  createdAt: z.iso.datetime(),
  seenAt: z.iso.datetime(),
});
export type ShownSession = z.infer<typeof sessionSchema>;

const newTokenSchema = z.strictObject({
  name: lineSchema,
  scope: roleSchema,
  /** Default: all projects of the person. */
  projectId: z.optional(storeIdSchema),
  days: z.int().check(z.minimum(1), z.maximum(366)),
});
export type NewToken = z.infer<typeof newTokenSchema>;

const tokenSchema = z.strictObject({
  tokenId: storeIdSchema,
  name: z.string(),
  scope: roleSchema,
  projectId: z.optional(z.string()),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  usedAt: z.optional(z.iso.datetime()),
});
export type ShownToken = z.infer<typeof tokenSchema>;

const passkeySchema = z.strictObject({
  credentialId: z.string(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  usedAt: z.optional(z.iso.datetime()),
});
export type ShownPasskey = z.infer<typeof passkeySchema>;

/** What the browser's own functions for passkeys take and return; validated by the library that reads them. */
const ceremonySchema = z.strictObject({
  ceremony: linkTokenSchema,
  response: z.record(z.string(), z.unknown()),
});
const ceremonyStartSchema = z.strictObject({
  ceremony: z.string(),
  options: z.record(z.string(), z.unknown()),
});

export const account = {
  methods: defineEndpoint('GET /account/methods', 'Lists the ways to sign in to this server.', {
    response: z.strictObject({ oidc: z.array(z.strictObject({ id: z.string(), name: z.string() })) }),
  }),
  signIn: defineEndpoint('POST /account/sign-in', 'Signs in with a password; the session is a cookie.', {
    body: z.strictObject({ email: emailSchema, password: passwordSchema }),
    response: personSchema,
  }),
  signInByLink: defineEndpoint(
    'POST /account/sign-in-link',
    'Signs in with a link that works once, and sets a password if one is given.',
    {
      body: z.strictObject({ token: linkTokenSchema, password: z.optional(passwordSchema) }),
      response: personSchema,
    },
  ),
  acceptInvitation: defineEndpoint(
    'POST /account/invitation',
    'Accepts an invitation: signed in, or with a new account.',
    {
      body: z.strictObject({
        token: linkTokenSchema,
        account: z.optional(
          z.strictObject({ email: emailSchema, name: lineSchema, password: passwordSchema }),
        ),
      }),
      response: z.strictObject({ person: personSchema, projectId: storeIdSchema, role: roleSchema }),
    },
  ),
  startOidc: defineEndpoint(
    'POST /account/oidc',
    'Starts a sign-in with an identity provider and returns its address.',
    {
      body: z.strictObject({ provider: z.string().check(z.maxLength(100)) }),
      response: z.strictObject({ url: z.string() }),
    },
  ),
  startPasskey: defineEndpoint('POST /account/passkey', 'Starts a sign-in with a passkey.', {
    response: ceremonyStartSchema,
  }),
  finishPasskey: defineEndpoint('POST /account/passkey/finish', 'Signs in with a passkey.', {
    body: ceremonySchema,
    response: personSchema,
  }),
  signOut: defineEndpoint('POST /account/sign-out', 'Ends this session, or all sessions of the person.', {
    body: z.strictObject({ everywhere: z._default(z.boolean(), false) }),
  }),
  me: defineEndpoint('GET /account', 'Shows who is signed in, with roles.', { response: meSchema }),
  changePassword: defineEndpoint(
    'PUT /account/password',
    'Changes the password and ends all other sessions; needs the current password if there is one.',
    { body: z.strictObject({ current: z.optional(passwordSchema), password: passwordSchema }) },
  ),
  sessions: defineEndpoint('GET /account/sessions', 'Lists the sessions of the person.', {
    response: z.strictObject({ sessions: z.array(sessionSchema) }),
  }),
  endSession: defineEndpoint('DELETE /account/sessions/:sessionId', 'Ends a session of the person.'),
  tokens: defineEndpoint(
    'GET /account/tokens',
    'Lists the API tokens of the person, without the tokens themselves.',
    {
      response: z.strictObject({ tokens: z.array(tokenSchema) }),
    },
  ),
  createToken: defineEndpoint('POST /account/tokens', 'Creates an API token and shows it this once.', {
    body: newTokenSchema,
    response: z.strictObject({ token: z.string(), shown: tokenSchema }),
    status: 201,
  }),
  revokeToken: defineEndpoint('DELETE /account/tokens/:tokenId', 'Revokes an API token of the person.'),
  passkeys: defineEndpoint('GET /account/passkeys', 'Lists the passkeys of the person.', {
    response: z.strictObject({ passkeys: z.array(passkeySchema) }),
  }),
  addPasskey: defineEndpoint('POST /account/passkeys', 'Starts to add a passkey.', {
    response: ceremonyStartSchema,
  }),
  finishAddingPasskey: defineEndpoint('POST /account/passkeys/finish', 'Adds a passkey.', {
    body: z.strictObject({ ...ceremonySchema.shape, name: lineSchema }),
    response: passkeySchema,
    status: 201,
  }),
  removePasskey: defineEndpoint('DELETE /account/passkeys/:credentialId', 'Removes a passkey of the person.'),
} as const;

export const people = {
  list: defineEndpoint('GET /people', 'Lists the people of the team.', {
    response: z.strictObject({ people: z.array(personSchema) }),
  }),
  create: defineEndpoint('POST /people', 'Adds a person and returns a link with which they sign in once.', {
    body: z.strictObject({ email: emailSchema, name: lineSchema, isAdmin: z._default(z.boolean(), false) }),
    response: z.strictObject({ person: personSchema, link: z.string() }),
    status: 201,
  }),
  change: defineEndpoint(
    'PATCH /people/:personId',
    'Renames or disables a person, or makes them an administrator.',
    {
      body: z.strictObject({
        name: z.optional(lineSchema),
        isAdmin: z.optional(z.boolean()),
        isDisabled: z.optional(z.boolean()),
      }),
      response: personSchema,
    },
  ),
  createLink: defineEndpoint(
    'POST /people/:personId/sign-in-link',
    'Returns a link with which the person signs in once, such as after a forgotten password.',
    { response: z.strictObject({ link: z.string() }), status: 201 },
  ),
} as const;

const memberSchema = z.strictObject({
  personId: storeIdSchema,
  name: z.string(),
  email: z.string(),
  role: roleSchema,
});
export type Member = z.infer<typeof memberSchema>;

const invitationSchema = z.strictObject({
  linkId: storeIdSchema,
  role: roleSchema,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});
export type ShownInvitation = z.infer<typeof invitationSchema>;

const policySchema = z.strictObject({
  /** An approval needs another person than the one who started the Work. */
  needsSecondPerson: z.boolean(),
  /** Only a worker with these labels executes the Works of the project. */
  labels: labelsSchema,
});
export type ProjectPolicy = z.infer<typeof policySchema>;

export const members = {
  list: defineEndpoint(
    'GET /projects/:projectId/members',
    'Lists the people of a project with their roles.',
    {
      response: z.strictObject({ members: z.array(memberSchema) }),
    },
  ),
  put: defineEndpoint('PUT /projects/:projectId/members/:personId', 'Gives a person a role in a project.', {
    body: z.strictObject({ role: roleSchema }),
  }),
  remove: defineEndpoint('DELETE /projects/:projectId/members/:personId', 'Removes a person from a project.'),
  invitations: defineEndpoint('GET /projects/:projectId/invitations', 'Lists the open invitations.', {
    response: z.strictObject({ invitations: z.array(invitationSchema) }),
  }),
  invite: defineEndpoint('POST /projects/:projectId/invitations', 'Returns a link that invites one person.', {
    body: z.strictObject({
      role: roleSchema,
      days: z._default(z.int().check(z.minimum(1), z.maximum(30)), 7),
    }),
    response: z.strictObject({ invitation: invitationSchema, link: z.string() }),
    status: 201,
  }),
  revokeInvitation: defineEndpoint(
    'DELETE /projects/:projectId/invitations/:linkId',
    'Revokes an open invitation.',
  ),
  policy: defineEndpoint(
    'GET /projects/:projectId/policy',
    'Shows what approvals in a project need, and which workers execute its Works.',
    { response: policySchema },
  ),
  setPolicy: defineEndpoint(
    'PUT /projects/:projectId/policy',
    'Sets what approvals in a project need, or which workers execute its Works; the rest stays.',
    { body: z.partial(policySchema), response: policySchema },
  ),
} as const;

export const auditEntrySchema = z.strictObject({
  entryId: countSchema,
  at: z.iso.datetime(),
  personId: z.optional(z.string()),
  /** Their e-mail address at that time. */
  person: z.optional(z.string()),
  /** `session`, `token`, or `none` of somebody who was not signed in. */
  via: z.string(),
  /** The name of an endpoint. */
  action: z.string(),
  projectId: z.optional(z.string()),
  /** Id of what was changed. */
  target: z.optional(z.string()),
  /** `allowed` before the action is taken; a code of an error if it was refused or failed. */
  outcome: z.string(),
  address: z.optional(z.string()),
  details: z.optional(z.record(z.string(), z.unknown())),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

const auditQuery = { project: z.optional(storeIdSchema) };

export const audit = {
  list: defineEndpoint('GET /audit', 'Reads the audit log, newest first, of a project or of the team.', {
    query: z.strictObject({
      ...auditQuery,
      /** Entries before this one. */
      before: z.optional(queryCountSchema),
      limit: z.optional(queryCountSchema),
    }),
    response: z.strictObject({ entries: z.array(auditEntrySchema) }),
  }),
  export: defineEndpoint('GET /audit/export', 'Downloads the audit log as JSON lines, oldest first.', {
    query: z.strictObject(auditQuery),
    returnsFile: true,
  }),
} as const;

/** Endpoints that only a team server has, by group and name. */
export const TEAM_ENDPOINTS = {
  account,
  people,
  members,
  audit,
  teamProjects,
  conflicts,
  activity,
  inbox,
  transfers,
  quotas,
} as const satisfies Readonly<Record<string, EndpointGroup>>;

export type TeamEndpoints = typeof TEAM_ENDPOINTS;
