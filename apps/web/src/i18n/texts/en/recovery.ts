/** What to do when the model fails, waits or is silent. */
export const recovery = {
  recovery: {
    evaluating: 'Evaluating the prompt, {{time}}',
    stop: 'Stop',
    restartStep: 'Start this step again',
    retryIn: 'Retrying in {{time}}',
    retryingNow: 'Retrying…',
    tryNow: 'Try now',
    tryAgain: 'Retry',
    workingFor: 'Working… {{time}}',
    silent: 'No answer from the model for {{time}}.',
    changeKey: 'Change the key',
    keyTitle: 'API key for {{name}}',
    key: 'New API key',
    keyHint: 'It replaces the saved key. It is stored on this computer and never shown again.',
    keyFromEnv: 'The environment variable {{variable}} sets this key. Change it there and restart CrewAgent.',
    saveAndRetry: 'Save and retry',
    modelSettings: 'Open model settings',
    resumedAt: 'Resumed at {{time}}',
    limits: 'Change the limits',
  },
} as const;
