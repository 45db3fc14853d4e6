/**
 * Ids and names in paths of the API, validated before a handler sees them.
 */
import { hookNameSchema } from '../hooks.ts';
import { serverIdSchema } from '../mcp.ts';
import * as z from '../zod.ts';

export const storeIdSchema = z
  .string()
  .check(z.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'an id of 36 lower-case characters'));

export const packageHashSchema = z
  .string()
  .check(z.regex(/^[0-9a-f]{64}$/, 'a hash of 64 hexadecimal digits'));

export const profileNameSchema = z
  .string()
  .check(z.regex(/^[A-Za-z0-9][\w.:-]{0,63}$/, 'a name of at most 64 letters, digits, dots and dashes'));

/** `true` or `false` in a query. */
export const flagSchema = z.pipe(
  z.enum(['true', 'false']),
  z.transform((text) => text === 'true'),
);

/** A whole number in a query. */
export const queryCountSchema = z.pipe(
  z.string().check(z.regex(/^\d{1,15}$/, 'a whole number')),
  z.transform(Number),
);

/** A path of the machine, as a person entered it. */
export const pathSchema = z
  .string()
  .check(z.minLength(1), z.maxLength(4_096), z.regex(/^[^\0]*$/, 'a path without NUL'));

/** Parameters in paths of the API. */
export const PATH_PARAMS = {
  projectId: storeIdSchema,
  workId: storeIdSchema,
  importId: storeIdSchema,
  bundleId: storeIdSchema,
  /** Of a package folder that is open for editing. */
  folderId: storeIdSchema,
  hash: packageHashSchema,
  nodeId: z.string().check(z.minLength(1), z.maxLength(200)),
  example: z.string().check(z.regex(/^[a-z0-9][a-z0-9.-]{0,99}$/)),
  /** Of a model in the settings. */
  name: profileNameSchema,
  server: serverIdSchema,
  hook: hookNameSchema,
  /** Chosen by the client for the lifetime of its connection. */
  muxId: z.uuid(),
  // Of accounts.
  personId: storeIdSchema,
  sessionId: storeIdSchema,
  tokenId: storeIdSchema,
  linkId: storeIdSchema,
  conflictId: z.string().check(z.regex(/^[1-9]\d{0,17}$/, 'the id of a conflict')),
  credentialId: z.string().check(z.regex(/^[\w-]{1,1400}$/, 'the id of a passkey')),
};
