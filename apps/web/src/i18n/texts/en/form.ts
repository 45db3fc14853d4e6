/** What every form says, and the permissions of a run, which are chosen in the composer: the fields of the initial load. */
export const form = {
  form: {
    missing: 'Enter a value.',
    wrong: {
      whole: 'Enter a whole number of at least {{least}}.',
      least: 'Enter a number of at least {{least}}.',
      above: 'Enter a number greater than {{above}}.',
      range: 'Enter a number from {{least}} to {{most}}.',
      url: 'Enter an address such as https://example.com.',
      text: 'This value can’t be used.',
    },
    units: { kb: 'KB', usd: 'USD', seconds: 'seconds', minutes: 'minutes' },
    on: 'On',
    off: 'Off',
    choose: 'Choose…',
    discardTitle: 'Discard what you typed?',
    discardText: 'Nothing has been saved yet.',
    discard: 'Discard',
  },
  fields: {
    tools: {
      approval: {
        label: 'Permissions',
        words: 'approval, permission, confirm, allow',
        options: {
          'read-only': {
            label: 'Read only',
            hint: 'Agents read and chat but change nothing. Not available for workflows, which need to write.',
          },
          ask: {
            label: 'Ask first',
            hint: 'Agents write to the results folder without asking; you allow or deny any other change.',
          },
          declared: {
            label: 'Declared files only',
            hint: 'A step uses the files that it declares; you are asked before it reads or changes any other. In conversations like “Ask first”.',
          },
          autopilot: {
            label: 'Run without asking',
            hint: 'Changes are made right away. You can undo all of them.',
          },
        },
      },
    },
  },
} as const;
