/**
 * Problems with an MCP server that are not bugs of ours.
 */
export class ServerFailure extends Error {}

/** The server rejects requests until a person signs in, or grants more. */
export class LoginRequired extends ServerFailure {
  constructor() {
    super('It needs a sign-in.');
  }
}
