/**
 * Whatever may go wrong, by its code: what it is, and what to do now. The sentence that came with the code stands between
 * the two, as it was said; it is English, and where all such sentences of a code end with what to do, the English advice is
 * blank. A `why` takes the place of that sentence where nothing is lost by it; its values are the details of the code.
 */
import type { UserErrorCode } from '@crewagent/protocol/errors';

interface ProblemTexts {
  readonly title: string;
  readonly why?: string;
  readonly advice: string;
}

/** What else comes with a code: from the server, from a log, or found by the page itself. */
type OtherProblem =
  | 'unknown'
  | 'INTERNAL'
  | 'NOT_REACHED'
  | 'NOT_UNDERSTOOD'
  | 'E_INTERNAL'
  | 'E_PRECONDITION_FAILED'
  | 'stopped'
  | 'rewound'
  | 'interrupted'
  | 'context_reset'
  | 'context_effective'
  | 'context_noop'
  | 'context_failed'
  | 'LLM_NO_CREDIT'
  | 'LLM_MODEL_NOT_FOUND'
  | 'LLM_PROVIDER_ERROR'
  | 'LLM_REQUEST_REJECTED'
  | 'LOG_DAMAGED'
  | 'OUTPUT_MISSING'
  | 'E_OUTPUTS_MISSING'
  | 'PRICE_UNKNOWN'
  | 'TOO_MANY_CALLS';

const english = {
  unknown: { title: 'Something needs your attention.', advice: '' },
  // Of the server, and of the page that talks to it.
  NOT_REACHED: { title: 'CrewAgent is not running, or cannot be reached.', advice: 'Start it again.' },
  NOT_UNDERSTOOD: {
    title: 'The page does not understand what CrewAgent answered.',
    advice: 'Reload the page: CrewAgent may have been upgraded since it was opened.',
  },
  INTERNAL: {
    title: 'CrewAgent itself failed.',
    advice: 'Try again. If it fails again, Settings › About has a file that helps to find out why.',
  },
  SERVER_STOPPING: { title: 'CrewAgent is about to stop.', advice: 'Start it again, then try once more.' },
  STREAM_GONE: { title: 'The connection has ended.', advice: 'Reload the page.' },
  TOKEN_REQUIRED: {
    title: 'This page is not let in.',
    advice: 'Open the address that CrewAgent printed when it was started.',
  },
  TOO_MANY_TOKENS: {
    title: 'Too many wrong tokens were tried.',
    advice: 'Then open the address that CrewAgent printed when it was started.',
  },
  HOST_REFUSED: {
    title: 'CrewAgent is not known by this address.',
    advice: 'Open the address that it printed when it was started.',
  },
  ORIGIN_REFUSED: {
    title: 'CrewAgent listens to its own page only.',
    advice: 'Open the address that it printed when it was started.',
  },
  REQUEST_REFUSED: { title: 'CrewAgent does not understand the page.', advice: 'Reload the page.' },
  METHOD_REFUSED: { title: 'CrewAgent does not understand the page.', advice: 'Reload the page.' },
  BODY_NOT_JSON: { title: 'CrewAgent does not understand the page.', advice: 'Reload the page.' },
  BODY_TOO_LARGE: { title: 'This is too much to send at once.', advice: 'Send less of it.' },
  BODY_TOO_SLOW: { title: 'Sending it took too long.', advice: 'Try again.' },
  PORT_TAKEN: { title: 'The port is taken by another program.', advice: 'Choose another port.' },
  // Of what was asked for.
  USAGE: { title: 'This cannot be used as it is.', advice: '' },
  NOT_FOUND: {
    title: 'This is not there.',
    advice: 'It may have been removed meanwhile: look at the list again.',
  },
  TARGET_EXISTS: { title: 'The name is taken.', advice: '' },
  DISK: { title: 'It did not work on the disk.', advice: '' },
  STORE_DAMAGED: { title: 'CrewAgent cannot read one of its own files.', advice: '' },
  STORE_REFUSED: {
    title: 'CrewAgent cannot use its data folder safely.',
    advice: 'Check who owns the folder.',
  },
  MCP_SERVER_NOT_FOUND: { title: 'There is no such MCP server.', advice: 'Look at the list in Settings.' },
  MCP_CONFIG_INVALID: {
    title: 'These MCP servers cannot be read.',
    advice: 'Correct the file, then try again.',
  },
  SETTINGS_INVALID: { title: 'Something in the settings does not fit.', advice: 'Correct it in Settings.' },
  PermissionDenied: { title: 'This is not allowed.', advice: '' },
  // Of packages.
  PACKAGE_INVALID: {
    title: 'This is not a valid package.',
    advice: 'Look at what was found, and mend it there.',
  },
  PACKAGE_NOT_FOUND: { title: 'The package is not installed.', advice: 'Add it under Packages.' },
  PACKAGE_AMBIGUOUS: { title: 'Several packages have this name.', advice: '' },
  PACKAGE_IN_USE: { title: 'The package is still needed.', advice: '' },
  PACKAGE_CHANGED: { title: 'The package changed meanwhile.', advice: '' },
  WORKFLOW_NOT_FOUND: { title: 'The package has no such workflow.', advice: 'Choose one that it has.' },
  AGENT_NOT_FOUND: { title: 'The package has no such agent.', advice: 'Choose one that it has.' },
  UnknownWorkflow: {
    title: 'The package has no workflow for this.',
    advice: 'Choose something else. Whoever made the package can mend it.',
  },
  NotSupportedClassicWorkflow: {
    title: 'Workflows of this kind cannot be run.',
    advice: 'Choose something else. Whoever made the package can bring it up to date.',
  },
  UnknownPromptId: {
    title: 'The package has no prompt for this.',
    advice: 'Choose something else. Whoever made the package can mend it.',
  },
  DataLoadFailed: { title: 'A file that is needed for this cannot be read.', advice: '' },
  ValidationFailed: { title: 'This cannot be started.', advice: '' },
  NothingToRun: {
    title: 'There is nothing behind this entry.',
    advice: 'Choose something else, or use your own words.',
  },
  // Of projects and their files.
  PROJECT_NOT_FOUND: {
    title: 'There is no such project.',
    advice: 'It may have been forgotten elsewhere: open its folder again on Start.',
  },
  FOLDER_NOT_FOUND: {
    title: 'The folder is not there.',
    advice:
      'The folder of a project that was moved can be found again on Start. Check the path, or choose another folder.',
  },
  FILE_NOT_FOUND: {
    title: 'The file is not there.',
    advice: 'It may have been moved or deleted: look for it in Files.',
  },
  FILE_EXISTS: { title: 'The name is taken.', advice: '' },
  FILE_CONFLICT: {
    title: 'This does not fit what is there now.',
    advice: 'Look at what is there, then decide.',
  },
  FILE_READ_ONLY: {
    title: 'The file is read-only.',
    advice: 'Make it writable in another program, then save again.',
  },
  FILE_TOO_LARGE: { title: 'It is too large for this.', advice: '' },
  NO_DESKTOP: { title: 'There is no screen to show it on.', advice: 'Copy its path instead.' },
  // Of runs and conversations.
  RUN_NOT_FOUND: { title: 'The run is not there any more.', advice: 'Works shows what there is.' },
  RUN_AMBIGUOUS: { title: 'Several runs could be meant.', advice: '' },
  RUN_LOCKED: { title: 'It is being worked on elsewhere.', advice: '' },
  RUN_NOT_READY: { title: 'This cannot be done just now.', advice: '' },
  WORK_NOT_FOUND: {
    title: 'The conversation or run is not there any more.',
    advice: 'Works shows what there is.',
  },
  CONVERSATION_NOT_FOUND: {
    title: 'The conversation is not there any more.',
    advice: 'Works shows what there is.',
  },
  CONVERSATION_AMBIGUOUS: { title: 'Several conversations could be meant.', advice: '' },
  E_PRECONDITION_FAILED: { title: 'It was changed meanwhile.', advice: '' },
  E_INTERNAL: { title: 'CrewAgent itself failed.', advice: 'Resume to try it again.' },
  STATE_DAMAGED: {
    title: 'The state document cannot be read.',
    advice: 'Mend it under State, or go back a step.',
  },
  STATE_FULL: {
    title: 'The state document is full.',
    advice: 'Shorten it under State, then resume.',
  },
  CASSETTE_INVALID: { title: 'The recording cannot be played.', advice: '' },
  CASSETTE_MISMATCH: { title: 'This is not what was recorded.', advice: 'Record it again.' },
  stopped: { title: 'Stopped. It can be resumed at any time.', why: '', advice: '' },
  rewound: {
    title: 'You took the run back.',
    why: '',
    advice: 'Say what should be different, or resume it.',
  },
  interrupted: {
    title: 'The run was cut off.',
    why: '',
    advice: 'Nothing is lost. Resume goes on from here.',
  },
  // Of models.
  LLM_AUTH_FAILED: {
    title: 'The model did not accept the key.',
    advice: 'Check the key in Settings, then resume.',
  },
  LLM_TIMEOUT: { title: 'The model did not answer in time.', advice: 'Resume to ask it again.' },
  LLM_HTTP_ERROR: {
    title: 'The model could not be reached.',
    advice: 'Check the address and your connection, then resume.',
  },
  LLM_MESSAGES_REFUSED: {
    title: 'The model does not take the messages of this step.',
    advice: 'Start this step again, or choose another model.',
  },
  LLM_PROVIDER_ERROR: {
    title: 'The model provider has a problem.',
    advice: 'This usually passes. Your connection and key are fine: try again in a moment.',
  },
  LLM_MODEL_NOT_FOUND: {
    title: 'The provider does not know this model.',
    advice: 'Check the model name and the address in Settings.',
  },
  LLM_NO_CREDIT: {
    title: 'The account of the model has no credit left.',
    advice: 'Top it up with the provider, or choose another model.',
  },
  LLM_REQUEST_REJECTED: {
    title: 'The provider rejected the request.',
    advice: 'Check the settings of this model, or choose another one.',
  },
  LLM_BAD_RESPONSE: {
    title: 'The model answered in a way that cannot be read.',
    advice: 'Resume to ask it again, or choose another model.',
  },
  LLM_RATE_LIMITED: { title: 'The provider wants a pause.', advice: 'Wait a moment, then resume.' },
  LLM_CONTEXT_EXCEEDED: {
    title: 'This is more than the model can take in.',
    advice: 'Choose a model with a larger context, then resume.',
  },
  CONTEXT_STILL_TOO_LARGE: {
    title: 'Even shortened, this is more than the model can take in.',
    advice: 'Choose a model with a larger context, then resume.',
  },
  ENGINE_MAX_TURNS_EXCEEDED: {
    title: 'The run took all the turns it may.',
    why: 'That is {{maxTurns}} turns at one step.',
    advice: 'Look at what it did. Resume to allow as many again, or say how to go on.',
  },
  ENGINE_LOOP_DETECTED: {
    title: 'The model goes in circles.',
    why: 'It makes the same call again and again without getting anywhere.',
    advice: 'Tell it in your words what to do differently, or resume to let it try again.',
  },
  ENGINE_BUDGET_EXCEEDED: {
    title: 'The budget of the run is used up.',
    advice: 'Resume to grant as much again, or raise it in Settings first.',
  },
  PRICE_UNKNOWN: { title: 'What this costs cannot be told.', advice: '' },
  TOO_MANY_CALLS: { title: 'The model asked for too much at once.', advice: '' },
  LOG_DAMAGED: { title: 'A part of the log cannot be read.', advice: '' },
  E_OUTPUTS_MISSING: { title: 'The model wanted to leave the step without all its files.', advice: '' },
  OUTPUT_MISSING: {
    title: 'The step did not write all it was to write.',
    advice: 'Ask for it, or do the step again.',
  },
  context_reset: { title: 'The step is told to the model again from its beginning.', advice: '' },
  context_effective: { title: 'Old tool results were put into words', advice: '' },
  context_noop: { title: 'There was nothing left to shorten', advice: '' },
  context_failed: { title: 'Shortening did not work', advice: '' },
} as const satisfies Readonly<Record<UserErrorCode | OtherProblem, ProblemTexts>>;

export const faults = {
  fault: {
    title: 'This did not work.',
    broken: {
      title: 'This part of the page broke.',
      why: 'That is a fault of the program. Your files and your work are safe on this machine.',
      advice: 'Try again. If it breaks again, reload the page.',
    },
    notLoaded: {
      title: 'This part of the page could not be loaded.',
      why: 'The program was upgraded, or does not answer any more, while this page was open.',
      advice: 'Reload the page. If that does not help, start the program again.',
    },
    again: 'Try again',
    reload: 'Reload the page',
    details: 'Details',
  },
  problem: english,
} as const;
