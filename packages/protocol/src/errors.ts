/**
 * The table of error codes: who can fix the error, and its HTTP status.
 * `model`: returned to the model as a value. `user`: thrown as a `CrewError` and shown as a sentence.
 * Any other error is a bug and is reported as an internal error.
 */
export type FixableBy = 'model' | 'user';

interface ErrorKind {
  readonly fixableBy: FixableBy;
  readonly httpStatus: number;
}

export const ERRORS = {
  USAGE: { fixableBy: 'user', httpStatus: 400 },
  PACKAGE_INVALID: { fixableBy: 'user', httpStatus: 422 },
  PACKAGE_NOT_FOUND: { fixableBy: 'user', httpStatus: 404 },
  PACKAGE_AMBIGUOUS: { fixableBy: 'user', httpStatus: 409 },
  PACKAGE_IN_USE: { fixableBy: 'user', httpStatus: 409 },
  /** The files of an installed package are not those that were installed. */
  PACKAGE_DAMAGED: { fixableBy: 'user', httpStatus: 409 },
  PACKAGE_CHANGED: { fixableBy: 'user', httpStatus: 409 },
  /** A server of packages does not answer, or not as one. */
  PACKAGE_UNREACHABLE: { fixableBy: 'user', httpStatus: 502 },
  /** A package is not the one that was announced. */
  HASH_MISMATCH: { fixableBy: 'user', httpStatus: 422 },
  /** The signature of a package is not one of its bytes. */
  SIGNATURE_INVALID: { fixableBy: 'user', httpStatus: 422 },
  /** The Sigstore bundle beside a package does not prove who signed it. */
  SIGSTORE_INVALID: { fixableBy: 'user', httpStatus: 422 },
  /** A package is signed by another key than before, or no more; a person can accept it. */
  SIGNER_CHANGED: { fixableBy: 'user', httpStatus: 409 },
  /** The policy of an organisation cannot be read or is not signed as it must be: nothing runs. */
  POLICY_INVALID: { fixableBy: 'user', httpStatus: 503 },
  /** The policy of an organisation forbids it; the message names the rule. */
  POLICY_FORBIDS: { fixableBy: 'user', httpStatus: 403 },
  /** Nobody knows in which folder its author has the package. */
  PACKAGE_FOLDER_UNKNOWN: { fixableBy: 'user', httpStatus: 409 },
  /** A run cannot be repeated as a test. */
  RUN_NOT_REPEATABLE: { fixableBy: 'user', httpStatus: 409 },
  TARGET_EXISTS: { fixableBy: 'user', httpStatus: 409 },
  DISK: { fixableBy: 'user', httpStatus: 507 },
  DISK_FULL: { fixableBy: 'user', httpStatus: 507 },
  DISK_READ_ONLY: { fixableBy: 'user', httpStatus: 507 },
  PROJECT_NOT_FOUND: { fixableBy: 'user', httpStatus: 404 },
  /** The workflow has questions without a default that nobody has answered yet. */
  INPUT_MISSING: { fixableBy: 'user', httpStatus: 422 },
  WORKFLOW_NOT_FOUND: { fixableBy: 'user', httpStatus: 404 },
  AGENT_NOT_FOUND: { fixableBy: 'user', httpStatus: 404 },
  WORK_NOT_FOUND: { fixableBy: 'user', httpStatus: 404 },
  RUN_NOT_FOUND: { fixableBy: 'user', httpStatus: 404 },
  RUN_AMBIGUOUS: { fixableBy: 'user', httpStatus: 409 },
  /** Another process works on the run. */
  RUN_LOCKED: { fixableBy: 'user', httpStatus: 409 },
  /** The team server that a Work is moved to or from does not answer, or not as one. */
  TEAM_UNREACHABLE: { fixableBy: 'user', httpStatus: 502 },
  /** A Work from another store is not what it claims to be, or cannot be moved as it is. */
  TRANSFER_REFUSED: { fixableBy: 'user', httpStatus: 422 },
  /** Two stores have the Work, and it went on in both. */
  WORK_DIVERGED: { fixableBy: 'user', httpStatus: 409 },
  /** The command does not fit the run's phase: an answer without a question, input to a failed run. */
  RUN_NOT_READY: { fixableBy: 'user', httpStatus: 409 },
  /** The decision is on another preview than the one that waits. */
  APPROVAL_OUTDATED: { fixableBy: 'user', httpStatus: 409 },
  CONVERSATION_NOT_FOUND: { fixableBy: 'user', httpStatus: 404 },
  CONVERSATION_AMBIGUOUS: { fixableBy: 'user', httpStatus: 409 },
  // File operations by a person.
  FILE_NOT_FOUND: { fixableBy: 'user', httpStatus: 404 },
  FILE_EXISTS: { fixableBy: 'user', httpStatus: 409 },
  /** The file has changed since it was read, or since the change to undo was made. */
  FILE_CONFLICT: { fixableBy: 'user', httpStatus: 412 },
  /** The file is not writable. */
  FILE_READ_ONLY: { fixableBy: 'user', httpStatus: 403 },
  FILE_TOO_LARGE: { fixableBy: 'user', httpStatus: 413 },
  /** There is no desktop to show a file manager on. */
  NO_DESKTOP: { fixableBy: 'user', httpStatus: 409 },
  /** The store is too large or the disk too slow for a search in the allowed time. */
  SEARCH_TIMED_OUT: { fixableBy: 'user', httpStatus: 503 },
  /** A multiplexed connection has ended. */
  STREAM_GONE: { fixableBy: 'user', httpStatus: 410 },
  /** The database of a team does not answer. */
  DATABASE_UNAVAILABLE: { fixableBy: 'user', httpStatus: 503 },
  // Reasons why a menu command cannot be executed.
  UnknownWorkflow: { fixableBy: 'user', httpStatus: 404 },
  NotSupportedClassicWorkflow: { fixableBy: 'user', httpStatus: 422 },
  UnknownPromptId: { fixableBy: 'user', httpStatus: 404 },
  DataLoadFailed: { fixableBy: 'user', httpStatus: 422 },
  PermissionDenied: { fixableBy: 'user', httpStatus: 403 },
  ValidationFailed: { fixableBy: 'user', httpStatus: 422 },
  /** The menu item has no target. */
  NothingToRun: { fixableBy: 'user', httpStatus: 422 },
  /** A file of the store is damaged or of a newer version. */
  STORE_DAMAGED: { fixableBy: 'user', httpStatus: 500 },
  /** The store's folder, or a lock in it, belongs to another user. */
  STORE_REFUSED: { fixableBy: 'user', httpStatus: 403 },
  MCP_SERVER_NOT_FOUND: { fixableBy: 'user', httpStatus: 404 },
  /** A file with MCP servers, or an entry of it, cannot be parsed. */
  MCP_CONFIG_INVALID: { fixableBy: 'user', httpStatus: 422 },
  /** A login to an MCP server did not succeed; the message names the step. */
  MCP_LOGIN_FAILED: { fixableBy: 'user', httpStatus: 502 },
  SETTINGS_INVALID: { fixableBy: 'user', httpStatus: 422 },
  CASSETTE_INVALID: { fixableBy: 'user', httpStatus: 422 },
  /** The request differs from the recorded one. */
  CASSETTE_MISMATCH: { fixableBy: 'user', httpStatus: 409 },
  // Reasons why a run waits or failed.
  LLM_AUTH_FAILED: { fixableBy: 'user', httpStatus: 502 },
  /** The account of the key has no credit or quota left; waiting does not help. */
  LLM_OUT_OF_CREDIT: { fixableBy: 'user', httpStatus: 502 },
  LLM_TIMEOUT: { fixableBy: 'user', httpStatus: 504 },
  LLM_HTTP_ERROR: { fixableBy: 'user', httpStatus: 502 },
  LLM_BAD_RESPONSE: { fixableBy: 'user', httpStatus: 502 },
  /** The provider does not take the messages of this node as they are. */
  LLM_MESSAGES_REFUSED: { fixableBy: 'user', httpStatus: 502 },
  LLM_RATE_LIMITED: { fixableBy: 'user', httpStatus: 503 },
  /** The provider asks for a longer wait than a run without a person waits. */
  LLM_WAIT_TOO_LONG: { fixableBy: 'user', httpStatus: 503 },
  LLM_CONTEXT_EXCEEDED: { fixableBy: 'user', httpStatus: 413 },
  CONTEXT_STILL_TOO_LARGE: { fixableBy: 'user', httpStatus: 413 },
  ENGINE_MAX_TURNS_EXCEEDED: { fixableBy: 'user', httpStatus: 429 },
  ENGINE_LOOP_DETECTED: { fixableBy: 'user', httpStatus: 429 },
  ENGINE_BUDGET_EXCEEDED: { fixableBy: 'user', httpStatus: 429 },
  /** What the person or the project may spend in this period is spent. */
  QUOTA_EXCEEDED: { fixableBy: 'user', httpStatus: 429 },
  /** A workflow would call one that is under way already. */
  E_CALL_CYCLE: { fixableBy: 'user', httpStatus: 409 },
  /** Workflows call each other deeper than the runtime goes. */
  E_CALL_DEPTH: { fixableBy: 'user', httpStatus: 409 },
  /** A file that a step consumes is missing; the run asks for it. */
  CONSUMED_FILE_MISSING: { fixableBy: 'user', httpStatus: 409 },
  STATE_DAMAGED: { fixableBy: 'user', httpStatus: 409 },
  /** The state document reached its size limit. */
  STATE_FULL: { fixableBy: 'user', httpStatus: 413 },
  // Tool errors; the model reads these and tries again.
  ENOENT: { fixableBy: 'model', httpStatus: 404 },
  E_SANDBOX_VIOLATION: { fixableBy: 'model', httpStatus: 403 },
  E_READ_LIMIT: { fixableBy: 'model', httpStatus: 413 },
  E_WRITE_LIMIT: { fixableBy: 'model', httpStatus: 413 },
  E_INVALID_FRONTMATTER: { fixableBy: 'model', httpStatus: 422 },
  E_SCHEMA_VALIDATION: { fixableBy: 'model', httpStatus: 422 },
  E_INVALID_TRANSITION: { fixableBy: 'model', httpStatus: 409 },
  /** The run moved to another node after this call was made. */
  E_NODE_CHANGED: { fixableBy: 'model', httpStatus: 409 },
  /** The step belongs to a node the run has not reached. */
  E_STEP_NOT_ACTIVE: { fixableBy: 'model', httpStatus: 403 },
  E_OUTPUTS_MISSING: { fixableBy: 'model', httpStatus: 409 },
  /** A check of the node that the step declares is not met. */
  E_OUTPUT_INCOMPLETE: { fixableBy: 'model', httpStatus: 409 },
  E_INPUT_UNREAD: { fixableBy: 'model', httpStatus: 409 },
  /** The node waits for a person, and nobody has spoken in this visit. */
  E_PERSON_NOT_HEARD: { fixableBy: 'model', httpStatus: 409 },
  /** A hook denied that the run leaves the node. */
  E_HOOK_DENIED: { fixableBy: 'model', httpStatus: 409 },
  E_PRECONDITION_FAILED: { fixableBy: 'model', httpStatus: 412 },
  E_PATCH_FAILED: { fixableBy: 'model', httpStatus: 409 },
  E_DISK: { fixableBy: 'model', httpStatus: 507 },
  E_INTERNAL: { fixableBy: 'model', httpStatus: 500 },
  TOOL_ARGS_INVALID_JSON: { fixableBy: 'model', httpStatus: 400 },
  TOOL_ARGS_INVALID: { fixableBy: 'model', httpStatus: 400 },
  TOOL_NOT_AVAILABLE: { fixableBy: 'model', httpStatus: 404 },
  TOOL_EXEC_FAILED: { fixableBy: 'model', httpStatus: 500 },
  TOOL_TIMEOUT: { fixableBy: 'model', httpStatus: 504 },
  /** A tool of an MCP server reported a failure. */
  MCP_TOOL_FAILED: { fixableBy: 'model', httpStatus: 502 },
  /** An MCP server could not be started, died, or broke the protocol. */
  MCP_SERVER_FAILED: { fixableBy: 'model', httpStatus: 502 },
  /** An MCP server rejects requests until a person signs in. */
  MCP_LOGIN_REQUIRED: { fixableBy: 'model', httpStatus: 502 },
  /** A command of `shell.run` ended with an error, or could not be started. */
  COMMAND_FAILED: { fixableBy: 'model', httpStatus: 422 },
  TOOL_REFUSED: { fixableBy: 'model', httpStatus: 403 },
  ENGINE_ABORTED: { fixableBy: 'model', httpStatus: 499 },
  STATE_CHANGE_REQUIRES_CONFIRMATION: { fixableBy: 'model', httpStatus: 409 },
  // Requests the server rejects before doing anything.
  TOKEN_REQUIRED: { fixableBy: 'user', httpStatus: 401 },
  TOO_MANY_TOKENS: { fixableBy: 'user', httpStatus: 429 },
  // Accounts of a team server.
  SIGN_IN_REQUIRED: { fixableBy: 'user', httpStatus: 401 },
  /** The password, passkey or identity provider did not prove who it is; the message does not say what was wrong. */
  SIGN_IN_FAILED: { fixableBy: 'user', httpStatus: 401 },
  TOO_MANY_ATTEMPTS: { fixableBy: 'user', httpStatus: 429 },
  /** The role of the person, or the scope of the token, does not include this. */
  ACCESS_DENIED: { fixableBy: 'user', httpStatus: 403 },
  /** The person who started the Work may not approve its actions. */
  SECOND_PERSON_REQUIRED: { fixableBy: 'user', httpStatus: 403 },
  /** A link that works once was used, or its time is over. */
  LINK_EXPIRED: { fixableBy: 'user', httpStatus: 410 },
  /** The e-mail address belongs to another person. */
  PERSON_EXISTS: { fixableBy: 'user', httpStatus: 409 },
  HOST_REFUSED: { fixableBy: 'user', httpStatus: 421 },
  ORIGIN_REFUSED: { fixableBy: 'user', httpStatus: 403 },
  REQUEST_REFUSED: { fixableBy: 'user', httpStatus: 400 },
  NOT_FOUND: { fixableBy: 'user', httpStatus: 404 },
  METHOD_REFUSED: { fixableBy: 'user', httpStatus: 405 },
  BODY_TOO_LARGE: { fixableBy: 'user', httpStatus: 413 },
  BODY_TOO_SLOW: { fixableBy: 'user', httpStatus: 408 },
  BODY_NOT_JSON: { fixableBy: 'user', httpStatus: 415 },
  FOLDER_NOT_FOUND: { fixableBy: 'user', httpStatus: 404 },
  SERVER_STOPPING: { fixableBy: 'user', httpStatus: 503 },
  PORT_TAKEN: { fixableBy: 'user', httpStatus: 409 },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

/** Codes of errors that people see and can fix. */
export type UserErrorCode = {
  [Code in ErrorCode]: (typeof ERRORS)[Code]['fixableBy'] extends 'user' ? Code : never;
}[ErrorCode];
