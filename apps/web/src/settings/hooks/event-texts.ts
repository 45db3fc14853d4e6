/** What is said of each event of hooks. */
export const EVENT_TEXTS = {
  'node.before-leave': 'hooks.events.leave',
  'file.written': 'hooks.events.written',
  'run.waiting': 'hooks.events.waiting',
  'run.ended': 'hooks.events.ended',
  'approval.requested': 'hooks.events.approval',
} as const;
