/** Works that wait for the user, on every screen. */
export const attention = {
  attention: {
    count_one: '1 waiting for you',
    count_other: '{{count}} waiting for you',
    here: 'Needs your answer',
    change: 'wants to change {{path}}',
    question: 'asks “{{prompt}}”',
    review: 'Review',
    soundOn: 'Play a sound when something needs me',
    soundOff: 'Stop playing a sound',
  },
  allowedList: {
    title: 'Always allowed changes',
    text: 'These changes are made without asking, whatever the permission above says.',
    none: 'Nothing is always allowed. “Always” in an approval adds it here.',
  },
  queue: { edit: 'Edit', remove: 'Withdraw' },
  approvalPicker: {
    changed: 'From the next turn on: {{name}}',
    changedNow: 'From the next tool call on: {{name}}',
  },
} as const;
