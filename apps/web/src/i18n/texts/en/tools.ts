/** Labels of tool calls. */
export const tools = {
  reads: {
    files_one: 'Read {{count}} file',
    files_other: 'Read {{count}} files',
    folders_one: 'Listed {{count}} folder',
    folders_other: 'Listed {{count}} folders',
    searches_one: 'Searched once',
    searches_other: 'Searched {{count}} times',
    separator: ' · ',
  },
  tool: {
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
    other: {
      doing: 'Using {{name}}',
      done: 'Used {{name}}',
      failed: '{{name}} did not work',
    },
    status: {
      ok: 'Worked',
      failed: 'Failed',
      refused: 'rejected',
      asked: 'Not started yet',
      running: 'Under way',
    },
    arguments: 'Asked for',
    fromText: 'The model wrote this call as text; it was read from there.',
    result: 'Result',
    written: 'Text',
    wasRefused: 'This was rejected.',
    /** After “Listed”. */
    projectFolder: 'the project folder',
    didFail: 'This failed.',
  },
} as const;
