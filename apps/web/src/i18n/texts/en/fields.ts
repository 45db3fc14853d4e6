/**
 * Fields of forms, by the path of the field in its schema: `label`, and if needed `hint`, `words` by which a setting is found, what
 * `options` are called, and sentences for an invalid (`wrong`) or missing value. A setting is shown where its label is.
 */
import { form } from './form.ts';

export const fields = {
  fields: {
    limits: {
      maxTurns: { label: 'Turn limit per step', hint: 'Model replies in one step before the run pauses.' },
      maxTokens: { label: 'Token limit', hint: 'Tokens sent and received before the run pauses.' },
      maxCostUsd: { label: 'Cost limit', hint: 'Calculated when the price of the model is known.' },
      maxMinutes: { label: 'Time limit', hint: 'Working time; waiting for you doesn’t count.' },
    },
    context: {
      scope: {
        label: 'Model memory',
        hint: 'Less is faster and cheaper. Files and variables are kept either way.',
        options: {
          node: { label: 'Current step', hint: 'Each step starts fresh. Recommended.' },
          run: { label: 'Whole run', hint: 'Everything said so far, compacted when it gets too long.' },
        },
      },
      prefetchBytes: {
        label: 'Files sent with a step',
        hint: 'The files a step needs come with it, up to this size, which saves requests. 0 turns it off.',
      },
    },
    tools: {
      ...form.fields.tools,
      fs: {
        enabled: { label: 'Files', hint: 'Agents can read, search and write in the project folder.' },
        secretPatterns: {
          label: 'Additional secret files',
          hint: 'File names that agents can never read, one per line; * matches anything. Keys, .env files and similar are always secret.',
        },
        runsLaterPatterns: {
          label: 'Additional files that run later',
          hint: 'File names that agents change only if you allow each change, one per line; * matches anything. Hooks, build files and similar always ask.',
        },
        maxReadBytes: { label: 'Largest file to read', hint: 'Larger files are read in parts.' },
        inlineReadBytes: { label: 'Read size', hint: 'How much of a file is read at once.' },
        maxWriteBytes: { label: 'Largest file to write', hint: 'Larger writes are rejected.' },
      },
      artifactsDir: {
        label: 'Results folder',
        hint: 'In the project. Agents save their results there unless you say otherwise.',
      },
      toolTimeoutMs: { label: 'Tool time limit', hint: 'Tools that take longer are stopped.' },
      mcp: {
        enabled: {
          label: 'Use MCP servers',
          hint: 'When off, no server is started and models don’t see server tools.',
        },
      },
      strictState: {
        label: 'Strict state',
        hint: 'Steps can only be completed with one dedicated tool. Helps weaker models.',
      },
      strictOutputs: {
        label: 'Strict outputs',
        hint: 'A step can’t be completed while an expected file is missing.',
      },
      readAhead: {
        label: 'Read ahead',
        hint: 'The model may read later steps. It may then do them out of order.',
      },
    },
    person: {
      name: { label: 'Name', hint: 'Leave blank to use your account name.' },
      language: {
        label: 'Language',
        hint: 'Language of replies. Leave blank to use the language of this computer.',
      },
      documentLanguage: {
        label: 'Document language',
        hint: 'Language of written files. Leave blank to use the language above.',
      },
    },
    appearance: {
      theme: {
        label: 'Theme',
        words: 'dark mode, light mode, colors',
        options: { system: { label: 'System' }, light: { label: 'Light' }, dark: { label: 'Dark' } },
      },
      density: {
        label: 'Density',
        options: { comfortable: { label: 'Comfortable' }, compact: { label: 'Compact' } },
      },
      fontSize: {
        label: 'Font size',
        options: { small: { label: 'Small' }, medium: { label: 'Default' }, large: { label: 'Large' } },
      },
      detail: {
        label: 'Detail in conversations',
        options: {
          quiet: { label: 'Quiet', hint: 'Messages, files and decisions.' },
          normal: { label: 'Normal', hint: 'Also transitions with their labels and variables.' },
          all: { label: 'Everything', hint: 'Also notes of the runtime.' },
        },
      },
      language: { label: 'Language', unset: 'Browser default' },
      sound: { label: 'Sound', hint: 'Played when something needs you.' },
    },
    shell: {
      enabled: { label: 'Let agents run commands' },
      network: { label: 'Commands may use the network' },
      git: { label: 'Git may record changes (never its configuration or hooks)' },
      hosts: {
        label: 'Hosts that commands may reach',
        hint: 'One name per line, such as api.example.org, *.example.org or api.example.org:8443.',
        wrong: 'Use public host names; addresses and names of private networks can’t be allowed.',
      },
      allow: {
        label: 'Allowed without asking',
        hint: 'First words of commands, one rule per line. Lines with shell characters such as ; | $ always ask.',
        wrong: 'Use plain words, and more than a program that runs anything, such as sh.',
      },
    },
    hook: {
      name: { label: 'Name', hint: 'Letters, digits, dots and hyphens.' },
      on: { label: 'Call it when', missing: 'Choose at least one.', wrong: 'Choose at least one.' },
      kind: {
        label: 'Kind of hook',
        options: {
          program: { label: 'A program on this computer' },
          address: { label: 'An address (HTTP POST)' },
        },
      },
      command: { label: 'Program' },
      args: { label: 'Arguments', hint: 'One per line.' },
      isSandboxed: { label: 'Run it in a sandbox' },
      hosts: { label: 'Hosts it may reach', hint: 'One per line; none means no network.' },
      url: { label: 'URL', hint: 'https, or an address of this computer.' },
      secretEnv: {
        label: 'Variable with the secret',
        hint: 'Name of an environment variable; requests are signed with its value.',
      },
      body: {
        label: 'Body',
        hint: 'JSON; names in double braces, such as summary, are replaced. Blank: all of what happened.',
      },
      timeoutSeconds: { label: 'Seconds until it is stopped' },
      failsClosed: { label: 'Deny if it fails' },
    },
    server: {
      id: {
        label: 'Name',
        hint: 'Letters, digits and hyphens.',
        wrong: 'Use up to 32 letters, digits and inner hyphens; “describe” is reserved.',
      },
      kind: {
        label: 'Kind of server',
        options: {
          program: { label: 'A program on this computer' },
          address: { label: 'An address (streamable HTTP)' },
        },
      },
      command: { label: 'Program' },
      args: { label: 'Arguments', hint: 'One per line.' },
      isSandboxed: { label: 'Run it in a sandbox, without network' },
      url: { label: 'URL' },
      env: {
        label: 'Environment variables',
        hint: 'NAME=value, one per line. Values are stored as secrets and never shown again.',
        wrong: 'Each line needs a name and a value: NAME=value.',
      },
      headers: {
        label: 'Headers',
        hint: 'NAME=value, one per line. Values are stored as secrets and never shown again.',
        wrong: 'Each line needs a name and a value: NAME=value.',
      },
      enabled: { label: 'Use {{server}}' },
      trusted: {
        label: 'Trust {{server}}',
        hint: 'Trust its tool descriptions: read-only tools run without asking.',
      },
      sandbox: {
        label: 'Run {{server}} in a sandbox',
        network: { label: 'Let {{server}} use the network' },
        git: { label: 'Let {{server}} record changes with git' },
      },
    },
    model: {
      provider: { label: 'Provider' },
      model: {
        label: 'Model',
        hint: 'The model name used by the provider.',
        missing: 'Enter the model name.',
      },
      baseUrl: {
        label: 'Address',
        hint: 'Leave empty for the default.',
        missing: 'Enter the address.',
        wrong: 'Enter an address such as https://models.example.com/v1, without a user name.',
      },
      key: {
        label: 'API key',
        missing: 'Enter the key.',
        refused: 'The provider refused this key. Check it, or create a new one.',
      },
      addedKey: {
        name: {
          label: 'Name of the key',
          hint: 'To tell your keys apart, such as “work”.',
          missing: 'Use at most 24 letters, digits, spaces and dashes.',
          wrong: 'Use at most 24 letters, digits, spaces and dashes.',
          taken: 'Another key already has this name.',
        },
        key: { label: 'Another API key', missing: 'Enter the key.' },
      },
      name: {
        label: 'Display name',
        hint: 'Leave empty to use the model name.',
        wrong: 'Use letters, digits, dots and dashes; “rehearsal” is reserved.',
        taken: 'Another model already has this name.',
      },
      apiKeyEnv: {
        label: 'Environment variable with the key',
        hint: 'Used instead of a saved key. Only the variable name is stored.',
      },
      contextTokens: { label: 'Context size' },
      maxOutputTokens: { label: 'Maximum output' },
      temperature: { label: 'Temperature' },
      size: {
        label: 'Size of the model',
        hint: 'For a small model the rules are shorter, and a step gets only the tools it needs.',
        unset: 'Automatic',
        options: { small: { label: 'Small' }, full: { label: 'Full' } },
      },
      pictures: {
        label: 'Pictures',
        hint: 'Whether the model gets the pictures you attach, or only their names.',
        unset: 'Automatic',
        options: { send: { label: 'Send' }, omit: { label: 'Only the name' } },
      },
      limits: {
        label: 'How much all workers together use the key of this model',
        requestsPerMinute: { label: 'Requests per minute' },
        concurrentRequests: { label: 'Requests at once' },
      },
      prices: {
        label: 'Price in US dollars per million tokens, used to calculate the cost',
        input: { label: 'Input', missing: 'Enter both the input and the output price.' },
        cachedInput: { label: 'Cached input' },
        output: { label: 'Output', missing: 'Enter both the input and the output price.' },
      },
    },
    builtin: {
      place: {
        label: 'GGUF file',
        hint: 'Full path on this computer, where the file stays, or an https address.',
      },
      sha256: {
        label: 'SHA-256 checksum',
        hint: '64 digits, as the publisher of the file names them. A file with another checksum is not installed.',
      },
    },
  },
} as const;
