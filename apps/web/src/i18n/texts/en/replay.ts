/** The replay of a run. Loaded with it. */
export const replay = {
  replay: {
    label: 'Replay',
    loading_one: 'Loading the log: {{count}} event',
    loading_other: 'Loading the log: {{count}} events',
    notLoaded: 'The log could not be loaded',
    moment: 'Moment',
    position: 'Event {{number}} of {{total}}',
    play: 'Play',
    pause: 'Pause',
    nextDecision: 'Next decision',
    previousDecision: 'Previous decision',
    speed: 'Speed',
    copyLink: 'Copy a link to this moment',
    linkCopied: 'Link copied',
    leave: 'Leave the replay',
    toPresent: 'Back to the present',
    isPast: 'You are looking at an earlier moment. To answer, stop, undo or write, go back to the present.',
    beginning: 'Nothing has happened yet',
    beginningText: 'Press Play, or move the slider.',
    filesAt: 'Since the run began, up to this moment',
  },
} as const;
