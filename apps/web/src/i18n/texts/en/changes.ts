/** Changes of files: by a call, by a run, and by an undo. */
export const changes = {
  changes: {
    verb: {
      created: 'New file',
      changed: 'Changed',
      replaced: 'Replaced',
      unchanged: 'No change to',
    },
    blocked: {
      secret: 'Blocked: secret file',
      path: 'Blocked: outside the project',
      link: 'Blocked: link out of the project',
      special: 'Blocked: not an ordinary file',
      'read-only': 'Blocked: read-only',
      private: 'Blocked: protected file',
    },
    blockedWhy: {
      secret: 'Tools never read or change files that may hold passwords or keys.',
      path: 'Tools only reach files of this project.',
      link: 'The path goes through a link that leads out of the project.',
      special: 'It is a device, a pipe or a folder.',
      'read-only': 'The file cannot be written.',
      private: 'Git and CrewAgent keep their own data there.',
    },
    conflict: {
      'later-change': 'not undone: a later step changed it',
      edited: 'not undone: edited since',
      'read-only': 'not undone: it is read-only now',
      folder: 'not undone: a folder is in its place',
      blocked: 'not undone: it cannot be reached',
    },
    laterAdvice: 'A later step changed this file again. You can undo both changes.',
    undoLater: 'Undo the later change too',
    alsoCreated: 'Also created outside the results folder',
    yours_one: 'Changed 1 of your files',
    yours_other: 'Changed {{count}} of your files',
    review: 'Review',
    hide: 'Hide',
    undo: 'Undo',
    named: '{{action}}: {{path}}',
    wasUndone: 'Undone',
  },
} as const;
