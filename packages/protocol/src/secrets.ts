/**
 * `secrets.json`: API keys by the name of their model settings, and values for MCP servers. A further key of a model has
 * the name `MODEL/KEY`: names of models contain no slash.
 */
import * as z from './zod.ts';

/** What an MCP server named when it rejected a request for lack of a login. */
const loginChallengeSchema = z.strictObject({
  scope: z.optional(z.string()),
  resourceMetadataUrl: z.optional(z.string()),
});
export type LoginChallenge = z.infer<typeof loginChallengeSchema>;

/** The result of a login over OAuth. */
const loginGrantSchema = z.strictObject({
  /** The server that issued the tokens, by its address and by its name in its own metadata. */
  authorizationServer: z.string(),
  issuer: z.string(),
  /** What the tokens are for, as the authorization server calls it. */
  resource: z.optional(z.string()),
  client: z.strictObject({
    client_id: z.string(),
    client_secret: z.optional(z.string()),
    token_endpoint_auth_method: z.optional(z.string()),
  }),
  accessToken: z.string(),
  refreshToken: z.optional(z.string()),
  scope: z.optional(z.string()),
});
export type LoginGrant = z.infer<typeof loginGrantSchema>;

const serverLoginSchema = z.strictObject({
  /** The URL of the MCP server; the login is used for no other. */
  address: z.string(),
  /** Set while the server requires a login, or a further one. */
  challenge: z.optional(loginChallengeSchema),
  grant: z.optional(loginGrantSchema),
});
export type ServerLogin = z.infer<typeof serverLoginSchema>;

export const secretsSchema = z.strictObject({
  schemaVersion: z.literal(1),
  /** Each key with the address it may be sent to. */
  keys: z.record(z.string(), z.strictObject({ key: z.string(), address: z.string() })),
  /** By server: values of environment variables or headers, with the command or URL that may receive them. */
  servers: z.optional(
    z.record(z.string(), z.strictObject({ address: z.string(), values: z.record(z.string(), z.string()) })),
  ),
  /** By server, with the project's id in front for servers of its own file. */
  logins: z.optional(z.record(z.string(), serverLoginSchema)),
});
export type Secrets = z.infer<typeof secretsSchema>;
