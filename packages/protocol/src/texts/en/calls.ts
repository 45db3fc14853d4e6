/** Tool calls, as verbs: before a target, such as the path of a file. Used by the page and the terminal. */
export const calls = {
  tools: {
    fs_read: {
      doing: 'Reading',
      done: 'Read',
      failed: 'Could not read',
    },
    fs_list: {
      doing: 'Listing',
      done: 'Listed',
      failed: 'Could not list',
    },
    fs_search: {
      doing: 'Searching for',
      done: 'Searched for',
      failed: 'Could not search for',
    },
    fs_write: {
      doing: 'Writing',
      done: 'Wrote',
      failed: 'Did not write',
    },
    fs_apply_patch: {
      doing: 'Changing',
      done: 'Changed',
      failed: 'Did not change',
    },
    ui_ask_user: {
      doing: 'Asking you',
      done: 'Asked you',
      failed: 'Could not ask you',
    },
    runtime_complete_node: {
      doing: 'Completing the step',
      done: 'Completed the step',
      failed: 'Did not complete the step',
    },
    runtime_update_state: {
      doing: 'Updating the state',
      done: 'Updated the state',
      failed: 'Did not update the state',
    },
    runtime_go_back: {
      doing: 'Going back',
      done: 'Went back',
      failed: 'Did not go back',
    },
    shell_run: {
      doing: 'Running',
      done: 'Ran',
      failed: 'Could not run',
    },
    ui_propose_command: {
      doing: 'Suggesting a menu item',
      done: 'Suggested a menu item',
      failed: 'Could not suggest a menu item',
    },
    other: {
      doing: 'Using {{name}}',
      done: 'Used {{name}}',
      failed: '{{name}} did not work',
    },
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
    /** A file or folder that is not there. */
    absent: 'Did not find',
    /** After the target: the model wrote the call as text. */
    fromText: 'read from the text of the reply',
    /** After “Listed”. */
    projectFolder: 'the project folder',
  },
  reads: {
    files_one: 'Read {{count}} file',
    files_other: 'Read {{count}} files',
    folders_one: 'Listed {{count}} folder',
    folders_other: 'Listed {{count}} folders',
    searches_one: 'Searched once',
    searches_other: 'Searched {{count}} times',
    separator: ' · ',
  },
} as const;
