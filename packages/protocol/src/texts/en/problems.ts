/**
 * Title and advice for every error code. The message that came with the code is shown between them, in English; where all messages
 * of a code end with advice, the English advice is empty. A `why` replaces the message where no information is lost; its
 * values come from the details of the error.
 */
import type { UserErrorCode } from '../../errors.ts';

export interface ProblemTexts {
  readonly title: string;
  readonly why?: string;
  readonly advice: string;
}

/** Every code that people see, and others: from the server, from a log, or from the page itself. */
type Problems = Readonly<Record<UserErrorCode, ProblemTexts> & Record<string, ProblemTexts>>;

export const problem = {
  unknown: { title: 'Something needs your attention.', advice: '' },
  // Server and connection.
  NOT_REACHED: {
    title: 'CrewAgent can’t be reached.',
    advice: 'If CrewAgent was closed, start it again: open the app, or run crewagent in a terminal.',
  },
  NOT_UNDERSTOOD: {
    title: 'The page could not read CrewAgent’s response.',
    advice: 'Reload the page. CrewAgent may have been updated since the page was opened.',
  },
  INTERNAL: {
    title: 'Something went wrong in CrewAgent.',
    advice: 'Try again. If it happens again, download the diagnostics from Settings › About.',
  },
  SERVER_STOPPING: {
    title: 'CrewAgent is shutting down.',
    advice: 'Start it again: open the app, or run crewagent in a terminal.',
  },
  SEARCH_TIMED_OUT: {
    title: 'The search took too long.',
    advice: 'Try again, with more specific words or in one project.',
  },
  DATABASE_UNAVAILABLE: {
    title: 'The team’s database can’t be reached.',
    advice: 'Nothing is lost. Try again in a moment, or ask whoever runs the server.',
  },
  STREAM_GONE: { title: 'The connection was closed.', advice: 'Reload the page.' },
  TOKEN_REQUIRED: {
    title: 'This page is not signed in.',
    advice: 'Open the address that CrewAgent printed when it started.',
  },
  TOO_MANY_TOKENS: {
    title: 'Too many failed sign-in attempts.',
    advice: 'Then open the address that CrewAgent printed when it started.',
  },
  SIGN_IN_REQUIRED: { title: 'You are not signed in.', advice: 'Sign in and try again.' },
  SIGN_IN_FAILED: {
    title: 'Signing in didn’t work.',
    advice: 'Check what you entered and try again, or ask an administrator for a sign-in link.',
  },
  TOO_MANY_ATTEMPTS: {
    title: 'Too many failed sign-in attempts.',
    advice: 'Wait 15 minutes, or sign in another way.',
  },
  ACCESS_DENIED: {
    title: 'Your role doesn’t allow this.',
    advice: 'Ask someone who manages the project for another role.',
  },
  SECOND_PERSON_REQUIRED: {
    title: 'Someone else has to approve this.',
    advice: 'In this project, whoever started a run can’t approve its actions. Ask a colleague.',
  },
  LINK_EXPIRED: {
    title: 'This link no longer works.',
    advice: 'It was used, or it has expired. Ask for a new one.',
  },
  PERSON_EXISTS: {
    title: 'Someone already has this e-mail address.',
    advice: 'Sign in with that account, or use another address.',
  },
  HOST_REFUSED: {
    title: 'CrewAgent doesn’t accept requests for this address.',
    advice: 'Open the address that it printed when it started.',
  },
  ORIGIN_REFUSED: {
    title: 'CrewAgent only accepts requests from its own page.',
    advice: 'Open the address that it printed when it started.',
  },
  REQUEST_REFUSED: { title: 'CrewAgent could not read this request.', advice: 'Reload the page.' },
  METHOD_REFUSED: { title: 'CrewAgent could not read this request.', advice: 'Reload the page.' },
  BODY_NOT_JSON: { title: 'CrewAgent could not read this request.', advice: 'Reload the page.' },
  BODY_TOO_LARGE: { title: 'This is too large to send at once.', advice: 'Send it in smaller parts.' },
  BODY_TOO_SLOW: { title: 'Sending took too long.', advice: 'Try again.' },
  PORT_TAKEN: { title: 'The port is in use by another program.', advice: 'Choose another port.' },
  // Requests.
  USAGE: { title: 'This input can’t be used.', advice: '' },
  NOT_FOUND: { title: 'Not found.', advice: 'It may have been removed. Refresh the list.' },
  PACKAGE_FOLDER_UNKNOWN: {
    title: 'This package was not installed from a folder that is still there.',
    advice: 'Give its folder in a terminal with crewagent test FOLDER --from-run RUN.',
  },
  RUN_NOT_REPEATABLE: { title: 'This run can’t become a test.', advice: 'Choose another run.' },
  TARGET_EXISTS: { title: 'This name is already in use.', advice: '' },
  DISK: { title: 'Couldn’t read or write the disk.', advice: '' },
  DISK_FULL: { title: 'The disk is full.', advice: 'Free some space, then Resume.' },
  DISK_READ_ONLY: {
    title: 'The folder or its disk is read-only.',
    advice: 'Make it writable, then Resume.',
  },
  STORE_DAMAGED: { title: 'CrewAgent can’t read one of its own files.', advice: '' },
  STORE_REFUSED: {
    title: 'CrewAgent can’t use its data folder safely.',
    advice: 'Check the owner and permissions of the folder.',
  },
  MCP_SERVER_NOT_FOUND: { title: 'MCP server not found.', advice: 'See the list in Settings.' },
  MCP_LOGIN_FAILED: { title: 'The sign-in didn’t succeed.', advice: 'Try again, or check the server.' },
  MCP_CONFIG_INVALID: {
    title: 'The MCP configuration can’t be read.',
    advice: 'Fix the file, then try again.',
  },
  SETTINGS_INVALID: { title: 'A setting is not valid.', advice: 'Correct it in Settings.' },
  PermissionDenied: { title: 'Not allowed.', advice: '' },
  // Packages.
  PACKAGE_INVALID: {
    title: 'This package is not valid.',
    advice: 'See the findings and fix them in the package.',
  },
  PACKAGE_NOT_FOUND: { title: 'The package is not installed.', advice: 'Add it under Packages.' },
  PACKAGE_AMBIGUOUS: { title: 'Several packages have this name.', advice: '' },
  PACKAGE_IN_USE: { title: 'The package is in use.', advice: '' },
  PACKAGE_DAMAGED: {
    title: 'This package is damaged.',
    advice: 'Its files are not those that were installed. Install it again, then Resume.',
  },
  PACKAGE_CHANGED: { title: 'The package changed while it was being read.', advice: '' },
  PACKAGE_UNREACHABLE: {
    title: 'The package can’t be fetched.',
    advice: 'Check the address and your network connection.',
  },
  HASH_MISMATCH: {
    title: 'This is another package than the one announced.',
    advice: 'It was not installed. Look at it again, or ask its author.',
  },
  SIGNATURE_INVALID: {
    title: 'The package was changed after it was signed.',
    advice: 'It was not installed. Get it again from its author.',
  },
  SIGSTORE_INVALID: {
    title: 'The Sigstore bundle of the package is not valid.',
    advice: 'It was not installed. Get the package and its bundle again from its author.',
  },
  SIGNER_CHANGED: {
    title: 'The package is not signed by the same signer as before.',
    advice: 'Ask its author whether that is right before you install it.',
  },
  POLICY_INVALID: {
    title: 'The policy of this machine can’t be used.',
    advice: 'Nothing runs until it is repaired. Ask whoever manages this machine.',
  },
  POLICY_FORBIDS: {
    title: 'Your organisation does not allow this.',
    advice: 'See Settings → Policy for what it allows.',
  },
  INPUT_MISSING: {
    title: 'The workflow has questions that are not answered yet.',
    advice: 'Start it from New, or answer them in Settings.',
  },
  WORKFLOW_NOT_FOUND: { title: 'The package has no such workflow.', advice: 'Choose one from the package.' },
  AGENT_NOT_FOUND: { title: 'The package has no such agent.', advice: 'Choose one from the package.' },
  UnknownWorkflow: {
    title: 'The package has no workflow for this.',
    advice: 'Choose something else. The package author can fix this.',
  },
  NotSupportedClassicWorkflow: {
    title: 'Workflows of this kind are not supported.',
    advice: 'Choose something else. The package author can update it.',
  },
  UnknownPromptId: {
    title: 'The package has no prompt for this.',
    advice: 'Choose something else. The package author can fix this.',
  },
  DataLoadFailed: { title: 'A required file can’t be read.', advice: '' },
  ValidationFailed: { title: 'This can’t be started.', advice: '' },
  NothingToRun: {
    title: 'This menu entry does nothing.',
    advice: 'Choose something else, or write in your own words.',
  },
  // Projects and their files.
  PROJECT_NOT_FOUND: {
    title: 'Project not found.',
    advice: 'It may have been removed. Open its folder again from Start.',
  },
  FOLDER_NOT_FOUND: {
    title: 'Folder not found.',
    advice: 'If it was moved, locate it. Otherwise check the path, or restore the folder.',
  },
  FILE_NOT_FOUND: {
    title: 'File not found.',
    advice: 'It may have been moved or deleted. Look for it in Files.',
  },
  FILE_EXISTS: { title: 'This name is already in use.', advice: '' },
  FILE_CONFLICT: { title: 'The file has changed.', advice: 'Review the current version, then decide.' },
  FILE_READ_ONLY: {
    title: 'The file is read-only.',
    advice: 'Make it writable in another program, then save again.',
  },
  FILE_TOO_LARGE: { title: 'The file is too large.', advice: '' },
  NO_DESKTOP: { title: 'Can’t open the file manager here.', advice: 'Copy the path instead.' },
  // Runs and conversations.
  RUN_NOT_FOUND: {
    title: 'This run no longer exists.',
    advice: 'See Activity for your conversations and runs.',
  },
  RUN_AMBIGUOUS: { title: 'Several runs match.', advice: '' },
  RUN_LOCKED: { title: 'It is open in another process.', advice: '' },
  TEAM_UNREACHABLE: {
    title: 'The team server can’t be reached.',
    advice: 'Check its address and the network, then try again.',
  },
  TRANSFER_REFUSED: { title: 'The run was not accepted.', advice: '' },
  WORK_DIVERGED: {
    title: 'It went on in two places.',
    advice: 'Continue it in one of them, and delete the other copy.',
  },
  APPROVAL_OUTDATED: { title: 'This request has changed.', advice: 'Look at it again.' },
  RUN_NOT_READY: { title: 'This isn’t possible right now.', advice: '' },
  WORK_NOT_FOUND: {
    title: 'This conversation or run no longer exists.',
    advice: 'See Activity for your conversations and runs.',
  },
  CONVERSATION_NOT_FOUND: {
    title: 'This conversation no longer exists.',
    advice: 'See Activity for your conversations and runs.',
  },
  CONVERSATION_AMBIGUOUS: { title: 'Several conversations match.', advice: '' },
  E_PRECONDITION_FAILED: { title: 'It was changed in the meantime.', advice: '' },
  E_INTERNAL: { title: 'Something went wrong in CrewAgent.', advice: 'Resume to try again.' },
  E_CALL_CYCLE: {
    title: 'Workflows call each other in a loop.',
    advice: 'Correct the package, or skip this step.',
  },
  E_CALL_DEPTH: {
    title: 'Workflows call each other too deeply.',
    advice: 'Correct the package, or skip this step.',
  },
  CONSUMED_FILE_MISSING: {
    title: 'A file this step needs is missing.',
    advice: 'Add the file and resume, or reply: with the path to use, or why it is not needed.',
  },
  STATE_DAMAGED: {
    title: 'The state document can’t be read.',
    advice: 'Fix it under State, or go back a step.',
  },
  STATE_FULL: { title: 'The state document is too large.', advice: 'Shorten it under State, then resume.' },
  CASSETTE_INVALID: { title: 'The recording can’t be played.', advice: '' },
  CASSETTE_MISMATCH: { title: 'This doesn’t match the recording.', advice: 'Record it again.' },
  stopped: { title: 'Stopped. You can resume at any time.', why: '', advice: '' },
  rewound: {
    title: 'You went back to an earlier step.',
    why: '',
    advice: 'Describe what should change, or resume.',
  },
  interrupted: {
    title: 'The run was interrupted.',
    why: '',
    advice: 'Nothing was lost. Resume to continue from here.',
  },
  // Models.
  LLM_AUTH_FAILED: {
    title: 'The provider rejected the key.',
    why: '{{host}} answered: “{{quote}}”',
    advice: 'Check the key in Settings, then resume.',
  },
  LLM_TIMEOUT: { title: 'The model did not respond in time.', advice: 'Resume to try again.' },
  LLM_HTTP_ERROR: {
    title: 'The model can’t be reached.',
    advice: 'Check the address and your connection, then resume.',
  },
  LLM_MESSAGES_REFUSED: {
    title: 'The model does not take the messages of this step.',
    advice: 'Start this step again, or choose another model.',
  },
  LLM_PROVIDER_ERROR: {
    title: 'The model provider has a problem.',
    why: '{{host}} answered: “{{quote}}”',
    advice: 'This usually passes. Your connection and key are fine: try again in a moment.',
  },
  LLM_MODEL_NOT_FOUND: {
    title: 'The provider does not know this model.',
    why: '{{host}} answered: “{{quote}}”',
    advice: 'Check the model name in Settings, and that your account has access to it.',
  },
  LLM_ADDRESS_NOT_FOUND: {
    title: 'No model answers at this address.',
    why: '{{host}} answered: “{{quote}}”',
    advice: 'Check the address in Settings. It usually ends in /v1.',
  },
  LLM_OUT_OF_CREDIT: {
    title: 'The account of the model has no credit left.',
    why: '{{host}} answered: “{{quote}}”',
    advice: 'Top it up with the provider, or use another key or model.',
  },
  LLM_REQUEST_REJECTED: {
    title: 'The provider rejected the request.',
    why: '{{host}} answered: “{{quote}}”',
    advice: 'Check the settings of this model, or choose another one.',
  },
  LLM_BAD_RESPONSE: {
    title: 'The model sent a response that can’t be read.',
    advice: 'Resume to try again, or choose another model.',
  },
  LLM_BROKEN_OFF: { title: 'The connection to the model broke off.', advice: 'Resume to try again.' },
  LLM_RATE_LIMITED: {
    title: 'Rate limit reached.',
    why: '{{host}} answered: “{{quote}}”',
    advice: 'Wait a moment, then resume.',
  },
  LLM_WAIT_TOO_LONG: {
    title: 'The provider asks to wait.',
    why: 'Requests are possible again after {{until}}.',
    advice: 'Resume then.',
  },
  LLM_CONTEXT_EXCEEDED: {
    title: 'This is too long for the model.',
    advice: 'Choose a model with a larger context, then resume.',
  },
  CONTEXT_STILL_TOO_LARGE: {
    title: 'This is too long for the model, even after compaction.',
    advice: 'Choose a model with a larger context, then resume.',
  },
  ENGINE_MAX_TURNS_EXCEEDED: {
    title: 'Turn limit reached.',
    why: 'The limit is {{maxTurns}} turns per step.',
    advice: 'Review what it did. Resume to allow the same number again, or tell the model how to proceed.',
  },
  ENGINE_LOOP_DETECTED: {
    title: 'The model is repeating itself.',
    why: 'It makes the same call again and again without progress.',
    advice: 'Tell it what to do differently, or resume to let it try again.',
  },
  ENGINE_BUDGET_EXCEEDED: {
    title: 'Budget limit reached.',
    advice: 'Resume to allow the same amount again, or raise the limit in Settings first.',
  },
  QUOTA_EXCEEDED: {
    title: 'Quota reached.',
    why: '{{subject}} used {{spent}}. {{admins}} can raise the quota.',
    advice: 'The run continues by itself when the quota is raised, or when the next period begins.',
  },
  hook_said: { title: 'A hook has something to say.', why: '{{hook}}: {{message}}', advice: '' },
  hook_denied: {
    title: 'A hook did not allow it.',
    why: '{{hook}}: {{message}}',
    advice: 'Nothing was changed. Fix the reason, or change the hook in Settings.',
  },
  hook_failed: {
    title: 'A hook failed.',
    why: '{{hook}}: {{message}}',
    advice: 'The run went on. Test the hook in a terminal: crewagent hooks test NAME.',
  },
  PRICE_UNKNOWN: { title: 'The cost is unknown.', advice: '' },
  MCP_SERVER_WITHHELD: {
    title: 'A server you enabled is not used here.',
    why: 'The package does not name “{{server}}” for {{agent}}, so {{agent}} does not get its tools.',
    advice: 'To allow it, the author of the package adds it to the agent’s tools.mcp.allowedServers.',
  },
  MCP_SECRET_DECLINED: {
    title: 'A server asked for a secret. It was refused.',
    why: 'The server “{{server}}” asked for “{{field}}”. CrewAgent never passes on passwords, keys or codes this way.',
    advice: 'If the server needs it, add it to the server’s values in Settings.',
  },
  OTHER_KEY_USED: {
    title: 'Another API key is used now.',
    why: 'The key “{{from}}” was refused or has no quota left; “{{to}}” is used instead.',
    advice: '',
  },
  PICTURES_NOT_SEEN: {
    title: 'The model can’t see pictures.',
    why: '“{{model}}” gets the name of the file only.',
    advice:
      'Choose a model that takes pictures. If this one does, choose “Send” for pictures in its settings.',
  },
  PICTURE_TOO_LARGE: {
    title: 'A picture was not sent.',
    why: '“{{path}}” is larger than 5 MB, or the message has more than four pictures. The model gets its name only.',
    advice: 'Attach a smaller version.',
  },
  TOO_MANY_CALLS: { title: 'The model made too many calls at once.', advice: '' },
  LOG_DAMAGED: { title: 'Part of the log can’t be read.', advice: '' },
  E_OUTPUTS_MISSING: { title: 'The model tried to finish the step without all its files.', advice: '' },
  E_OUTPUT_INCOMPLETE: {
    title: 'The step’s results are incomplete.',
    advice: 'Tell the model what to do, let it try again, or accept the step without them.',
  },
  E_PERSON_NOT_HEARD: { title: 'The step needs your answer.', advice: 'Reply to continue.' },
  OUTPUT_MISSING: {
    title: 'The step did not write all expected files.',
    advice: 'Ask for them, or redo the step.',
  },
  context_reset: { title: 'The step was sent to the model again from the start.', advice: '' },
  context_effective: { title: 'Older tool results were summarized', advice: '' },
  context_noop: { title: 'Nothing left to compact', advice: '' },
  context_failed: { title: 'Compaction failed', advice: '' },
} as const satisfies Problems;
