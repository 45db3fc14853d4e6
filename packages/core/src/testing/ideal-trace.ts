/**
 * The replies of a careful model in create-story-micro, turn by turn: it asks, because there is no sprint status; it reads what did
 * not come with the node before it writes; once it tries a forbidden write.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type ProviderReply,
  type ScriptedCall,
  textReply,
  toolCallReply,
} from './models/provider-replies.ts';

const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));
const demo = (name: string): string => readFileSync(`${examples}/demo-project/docs/${name}`, 'utf8');

export const IDEAL_PACKAGE = `${examples}/create-story-micro`;
/** The demo project without its sprint status. */
export const IDEAL_PROJECT: Readonly<Record<string, string>> = Object.fromEntries(
  ['architecture.md', 'epics.md', 'prd.md', 'project-context.md', 'ux.md'].map((name) => [
    `docs/${name}`,
    demo(name),
  ]),
);

export const STORY_KEY = '1-2-invite-by-code';

const TARGET = `# Target story

- Key: ${STORY_KEY}
- Epic: 1
- Story: 2
- Title: Invite by code
- Sprint status file: none
- Chosen because: the person asked for it
`;

const INPUTS = `# Input documents for ${STORY_KEY}

| Role | Path | Where to look | State |
|---|---|---|---|
| epics | @project/docs/epics.md | section "Story 1.2" | found |
| prd | @project/docs/prd.md | whole file | found |
| architecture | @project/docs/architecture.md | whole file | found |
| ux | @project/docs/ux.md | whole file | found |
| project context | @project/docs/project-context.md | whole file | found |
| previous story | | | not found |

Notes from the user: none
`;

/** Excerpts with their sources, as the step asks for. */
const CONTEXT = `# Context for ${STORY_KEY}: Invite by code

${['epics.md', 'architecture.md', 'prd.md', 'ux.md', 'project-context.md']
  .map((name) => `## From @project/docs/${name}\n\n${demo(name).slice(0, 1_600)}`)
  .join('\n\n')}

## Gaps
- How long is a code valid? (product owner)
`;

const STORY = `# Story 1.2: Invite by code

Status: ready-for-dev

${demo('epics.md').slice(0, 2_200)}

## Technical notes

${demo('architecture.md').slice(0, 2_200)}

${[
  'Story',
  'Acceptance criteria',
  'Out of scope',
  'User interface',
  'Learned from earlier stories',
  'Sources',
  'Change log',
]
  .map((heading) => `## ${heading}\n\nNothing to add.`)
  .join('\n\n')}

## Tasks
${Array.from({ length: 12 }, (_, index) => `- [ ] Task ${index + 1}: build and test part ${index + 1} of the invitation (AC ${(index % 5) + 1})`).join('\n')}

## Open questions
- How long is a code valid? (product owner)
`;

const read = (path: string, more: object = {}): ScriptedCall => ({
  name: 'fs_read',
  arguments: { path, ...more },
});
const write = (path: string, content: string): ScriptedCall => ({
  name: 'fs_write',
  arguments: { path, content },
});
const list = (path: string): ScriptedCall => ({ name: 'fs_list', arguments: { path, depth: 2 } });
const search = (query: string, more: object = {}): ScriptedCall => ({
  name: 'fs_search',
  arguments: { query, ...more },
});
const leave = (nodeId: string, next?: string, variables?: Record<string, unknown>): ScriptedCall => ({
  name: 'runtime_complete_node',
  arguments: { nodeId, next, variables },
});

const TURNS: readonly (readonly ScriptedCall[])[] = [
  // step-01-select-story
  [read('@project/sprint-status.yaml')],
  [search('status', { globs: ['**/sprint-status.yaml'], maxMatches: 5 })],
  [
    {
      name: 'ui_ask_user',
      arguments: {
        questions: [{ id: 'storyKey', type: 'text', prompt: 'Which story should I prepare? Give its key.' }],
      },
    },
  ],
  [search('Story 1.2')],
  [read('@project/docs/epics.md')],
  [write('@project/artifacts/create-story/target.md', TARGET)],
  [
    leave('step-01-select-story', 'step-02-discover-inputs', {
      storyKey: STORY_KEY,
      epicNum: 1,
      storyNum: 2,
      storyTitle: 'Invite by code',
      sprintStatusPath: 'none',
    }),
  ],
  // step-02-discover-inputs
  [list('@project'), list('@project/docs')],
  [search('Story 1.2', { path: '@project/docs/epics.md', after: 20 })],
  [list('@project/artifacts/stories')],
  [search('invite', { path: '@project/docs', before: 2, after: 4 })],
  [search('code', { path: '@project/docs', before: 2, after: 4 })],
  [write('@project/artifacts/create-story/inputs.md', INPUTS)],
  [leave('step-02-discover-inputs', 'step-03-extract-context')],
  // step-03-extract-context
  [read('@project/docs/epics.md')],
  [read('@project/docs/prd.md')],
  [read('@project/docs/architecture.md')],
  [read('@project/docs/ux.md'), read('@project/docs/project-context.md')],
  [write('@project/artifacts/create-story/context.md', CONTEXT)],
  [leave('step-03-extract-context', 'step-04-generate-story')],
  // step-04-generate-story
  [write('@pkg/assets/story-template.md', STORY)],
  [write(`@project/artifacts/stories/${STORY_KEY}.md`, STORY)],
  [read(`@project/artifacts/stories/${STORY_KEY}.md`)],
  [leave('step-04-generate-story', 'step-05-update-sprint-status')],
  // step-05-update-sprint-status
  [
    write(
      '@project/artifacts/create-story/sprint-status-update.md',
      '# Proposed sprint status update\n\n- File: none\n',
    ),
  ],
  [leave('step-05-update-sprint-status', 'end-99')],
  // end-99
  [read('@state/workflow.md')],
  [
    write(
      '@project/artifacts/create-story/summary.md',
      `# Summary: ${STORY_KEY}\n\n12 tasks, 1 open point.\n`,
    ),
  ],
  [leave('end-99', undefined, { workflowStatus: 'complete' })],
];

export const IDEAL_CLOSING = 'The story file is written; one question is open.';

/** One reply for each turn, the last one text only. */
export function idealReplies(): ProviderReply[] {
  return [...TURNS.map((calls) => toolCallReply(calls, { pieceLength: 7 })), textReply(IDEAL_CLOSING)];
}
