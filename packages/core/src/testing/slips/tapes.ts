/**
 * Slips of models as tapes, plain data: what a model replies, and whether that is accepted as meant or led back by an error that
 * names what to do. All begin at `step-01` of the branching package.
 */
import type { ScriptLine } from '../models/scripted-model.ts';

export interface Slip {
  readonly name: string;
  readonly reply: ScriptLine;
  /** Effect path or tool that proves that the call was accepted as meant. */
  readonly accepted?: string;
  /** What the error tells the model to do. */
  readonly advice?: RegExp;
  /** Replies before it. */
  readonly before?: readonly ScriptLine[];
  /** How many of the replies that complete the workflow are not needed any more after it. */
  readonly does?: number;
}

const call = (name: string, args: unknown): ScriptLine => ({ calls: [{ name, arguments: args }] });
const WRITE = call('fs_write', { path: 'artifacts/k.md', content: 'x' });
const KEY = { key: 'k' };
const README = '@project/README.md';

export const WRONG_CALLS: readonly Slip[] = [
  { name: 'read_file', reply: call('read_file', { path: 'README.md' }), accepted: README },
  { name: 'fs-read', reply: call('fs-read', { path: 'README.md' }), accepted: README },
  { name: 'functions.fs_read', reply: call('functions.fs_read', { path: 'README.md' }), accepted: README },
  { name: 'file_path', reply: call('fs_read', { file_path: 'README.md' }), accepted: README },
  { name: 'file', reply: call('fs_read', { file: 'README.md' }), accepted: README },
  { name: 'filename', reply: call('fs_read', { filename: 'README.md' }), accepted: README },
  {
    name: 'text for content',
    reply: call('fs_write', { path: 'artifacts/k.md', text: 'x' }),
    accepted: '@project/artifacts/k.md',
    does: 1,
  },
  {
    name: 'line breaks in a JSON string',
    reply: call('fs_write', '{"path":"artifacts/k.md","content":"one\ntwo"}'),
    accepted: '@project/artifacts/k.md',
    does: 1,
  },
  {
    name: 'a number as text',
    reply: call('fs_read', { path: 'README.md', startLine: '1', endLine: '1' }),
    accepted: README,
  },
  {
    name: 'a boolean as text',
    reply: call('fs_search', { query: 'Proj.ct', regex: 'true' }),
    accepted: '@project',
  },
  {
    name: 'a list as JSON text',
    reply: call('fs_apply_patch', {
      path: 'README.md',
      patches: '[{"operation":"replace","find":"Project","replace":"Story"}]',
    }),
    accepted: README,
  },
  {
    name: 'one object for a list',
    reply: call('fs_apply_patch', {
      path: 'README.md',
      patches: { operation: 'replace', find: 'Project', replace: 'Story' },
    }),
    accepted: README,
  },
  {
    name: 'complete_node, variables as JSON text',
    before: [WRITE],
    reply: call('complete_node', { nodeId: 'step-01', next: 'decide-02', variables: '{"key":"k"}' }),
    accepted: 'runtime.complete_node',
    does: 1,
  },
  {
    name: 'next by its label',
    before: [WRITE],
    reply: call('runtime_complete_node', { nodeId: 'step-01', next: 'Next', variables: KEY }),
    accepted: 'runtime.complete_node',
    does: 1,
  },
  {
    name: 'a decision as text',
    before: [WRITE],
    reply: call('runtime_complete_node', { nodeId: 'step-01', decision: 'next', variables: KEY }),
    accepted: 'runtime.complete_node',
    does: 1,
  },
  {
    name: 'a tool that does not exist',
    reply: call('web_search', { query: 'x' }),
    advice: /use one of fs_read, fs_list/,
  },
  {
    name: 'arguments that are not JSON',
    reply: call('fs_read', '{path: README.md'),
    advice: /send one JSON object/,
  },
  { name: 'a missing argument', reply: call('fs_read', {}), advice: /set path or paths/ },
  {
    name: 'a write to the package',
    reply: call('fs_write', { path: '@pkg/a.md', content: 'x' }),
    advice: /write to @project\/ instead/,
  },
  { name: 'an absolute path', reply: call('fs_read', { path: '/etc/passwd' }), advice: /@project/ },
  {
    name: 'a file that the package lacks',
    reply: call('fs_read', { path: '@pkg/data/glossary.csv' }),
    advice: /The package does not have this file.*Do this part without it and tell the user\./,
  },
  {
    name: 'a misspelled file',
    reply: call('fs_read', { path: 'Read-me.txt' }),
    advice: /Nearest: \\"@project\/README\.md\\"/,
  },
  {
    name: 'a folder that is not there',
    reply: call('fs_list', { path: '@project/docs/stories' }),
    advice: /The nearest folder is \\"@project\/?\\"/,
  },
  {
    name: 'the wrong node',
    before: [WRITE],
    reply: call('runtime_complete_node', { nodeId: 'decide-02' }),
    advice: /The run is at \\"step-01\\"/,
  },
  {
    name: 'a node that does not follow',
    before: [WRITE],
    reply: call('runtime_complete_node', { nodeId: 'step-01', next: 'end-99', variables: KEY }),
    advice: /can go to \\"decide-02\\" \(next\)/,
  },
  {
    name: 'completing without the output',
    reply: call('runtime_complete_node', { nodeId: 'step-01', variables: KEY }),
    advice: /Write the missing outputs/,
  },
  {
    name: 'the state document written by hand',
    reply: call('fs_write', { path: '@state/workflow.md', content: '---\ncurrentNodeId: decide-02\n---\n' }),
    advice: /Use runtime_complete_node\./,
  },
  {
    name: 'the file of a later step',
    reply: call('fs_read', { path: '@pkg/steps/step-03.md' }),
    advice: /E_STEP_NOT_ACTIVE/,
  },
];

const TEXT_CALL = '{"name":"fs_read","arguments":{"path":"README.md"}}';

export const MISSING_CALLS: readonly Slip[] = [
  {
    name: 'an announcement',
    reply: 'Sure! I will start by reading the README file.',
    advice: /Your last reply had no tool call/,
  },
  { name: 'a call as fenced JSON', reply: `\`\`\`json\n${TEXT_CALL}\n\`\`\``, accepted: README },
  {
    name: 'a call in a tag',
    reply: `I will read it.\n<tool_call>${TEXT_CALL}</tool_call>`,
    accepted: README,
  },
  {
    name: 'an empty reply',
    reply: {
      kind: 'failed',
      error: { code: 'LLM_BAD_RESPONSE', message: 'empty', isRetryable: false, details: { isEmpty: true } },
    },
    advice: /Your last reply was empty/,
  },
];

/** What models do out of habit. */
export const HABITS: readonly Slip[] = [
  {
    name: 'completes the next node without having seen it',
    before: [WRITE],
    reply: {
      calls: [
        {
          name: 'runtime_complete_node',
          arguments: { nodeId: 'step-01', next: 'decide-02', variables: KEY },
        },
        { name: 'runtime_complete_node', arguments: { nodeId: 'decide-02', next: 'step-03' } },
      ],
    },
    advice: /E_NODE_CHANGED/,
    does: 1,
  },
  {
    name: 'sends every optional argument as null',
    reply: call('fs_read', { path: 'README.md', startLine: null, endLine: null }),
    accepted: README,
  },
  {
    name: 'says that all is done',
    reply: 'The workflow is complete!',
    advice: /Your last reply had no tool call/,
  },
];
