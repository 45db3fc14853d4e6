/**
 * A good reader of create-story-micro: it knows the task, as a model does that has read the steps, and takes every fact from what
 * it is sent: prefetched files, results of its calls, answers. What it lacks it reads, all of it in one reply.
 */
import { parseObject } from '@crewagent/protocol/json-object';
import { withoutLineNumbers } from '@crewagent/protocol/numbered-lines';
import type { ChatMessage, ChatRequest } from '../../llm/wire.ts';
import { readCalls } from '../../rehearse/models/visit.ts';
import type { ScriptedCall, ScriptedReply } from './scripted-model.ts';

type Result = Readonly<Record<string, unknown>>;

/** What the request says. */
interface Known {
  readonly nodeId: string;
  readonly isCautious: boolean;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Of its calls and of prefetched files. */
  readonly results: readonly { readonly name: string; readonly value: Result }[];
  /** The lines of a file; undefined if it was not sent. */
  linesOf(path: string): readonly string[] | undefined;
}

/** `isCautious`: asks also about questions that the documents answer for the time being. */
export function replyAsStoryReader(
  { messages }: ChatRequest,
  { isCautious = false }: { readonly isCautious?: boolean } = {},
): ScriptedReply {
  const known = { ...readKnown(messages), isCautious };
  if (known.results.some(({ name }) => name === 'runtime_complete_node'))
    return { content: 'The story is ready for development. One question is open.' };
  const node = NODES[known.nodeId];
  if (!node) throw new Error(`no such node: ${known.nodeId}`);
  return node(known);
}

const CREATED = '@project/artifacts/create-story';

const NODES: Readonly<Record<string, (known: Known) => ScriptedReply>> = {
  'step-01-select-story'(known) {
    const missing = toReads(known, ['@project/sprint-status.yaml', '@project/docs/epics.md']);
    if (missing) return missing;
    const status = known.linesOf('@project/sprint-status.yaml') ?? [];
    const [, storyKey = '', epicNum = '', storyNum = ''] =
      status.map((line) => /^\s*((\d+)-(\d+)-[\w-]+): backlog/.exec(line)).find(Boolean) ?? [];
    const heading = new RegExp(`^#+ Story ${epicNum}\\.${storyNum}: (.*)`);
    const epics = known.linesOf('@project/docs/epics.md') ?? [];
    const storyTitle = epics.map((line) => heading.exec(line)?.[1]).find(Boolean);
    const target = `# Target story\n\n- Key: ${storyKey}\n- Epic: ${epicNum}\n- Story: ${storyNum}\n- Title: ${storyTitle}\n- Chosen because: first story in backlog\n`;
    return leave(known, 'step-02-discover-inputs', `${CREATED}/target.md`, target, {
      storyKey,
      epicNum: Number(epicNum),
      storyNum: Number(storyNum),
      storyTitle,
      sprintStatusPath: '@project/sprint-status.yaml',
    });
  },
  'step-02-discover-inputs'(known) {
    const listed = known.results.find(({ name }) => name === 'fs_list');
    const { epicNum, storyNum, storyKey, storyTitle } = known.variables;
    if (!listed)
      return {
        calls: [
          { name: 'fs_list', arguments: { path: '@project', depth: 2 } },
          { name: 'fs_list', arguments: { path: '@project/artifacts/stories' } },
          search(`Story ${String(epicNum)}.${String(storyNum)}`),
          search(String(storyTitle).split(' ')[0] ?? ''),
          ...(toReads(known, [`${CREATED}/target.md`])?.calls ?? []),
        ],
      };
    const names = JSON.stringify(listed.value).match(/docs\/[\w-]+\.md/g) ?? [];
    const rows = names.map((name) => `| ${name} | @project/${name} | whole file | found |`);
    const inputs = `# Input documents for ${String(storyKey)}\n\n| Role | Path | Where to look | State |\n|---|---|---|---|\n${rows.join('\n')}\n\nNotes from the user: none\n`;
    return leave(known, 'step-03-extract-context', `${CREATED}/inputs.md`, inputs);
  },
  'step-03-extract-context'(known) {
    const own = toReads(known, [`${CREATED}/target.md`, `${CREATED}/inputs.md`]);
    if (own) return own;
    const paths = (known.linesOf(`${CREATED}/inputs.md`) ?? []).flatMap(
      (line) => /\| (@project\/\S+\.md) \|.*\| found/.exec(line)?.[1] ?? [],
    );
    const missing = toReads(known, paths);
    if (missing) return missing;
    if (known.results.some(({ name }) => name === 'ui_ask_user'))
      return { calls: [complete(known, 'step-04-generate-story')] };
    const gaps = findOpenQuestions(known, paths);
    const context = toContext(known, paths, gaps);
    const path = `${CREATED}/context.md`;
    if (gaps.length === 0) return leave(known, 'step-04-generate-story', path, context);
    const prompt = `${gaps.length} points are open:\n${gaps.join('\n')}`;
    const options = ['[A] Answer the open points now', '[S] See the passages', '[C] Continue'];
    return {
      calls: [
        write(path, context),
        { name: 'ui_ask_user', arguments: { questions: [{ id: 'menu', type: 'choice', prompt, options }] } },
      ],
    };
  },
  'step-04-generate-story'(known) {
    const paths = [
      '@pkg/assets/story-template.md',
      '@pkg/assets/story-checks.csv',
      `${CREATED}/context.md`,
    ] as const;
    const missing = toReads(known, paths);
    if (missing) return missing;
    const context = known.linesOf(paths[2]) ?? [];
    const { storyKey, epicNum, storyNum, storyTitle } = known.variables;
    const headings = (known.linesOf(paths[0]) ?? []).filter((line) => line.startsWith('## '));
    const facts = context.filter((line) => line.startsWith('- '));
    const open = context.slice(context.indexOf('## Gaps') + 1).filter((line) => line.startsWith('- '));
    const bodies: Readonly<Record<string, readonly string[]>> = {
      '## Acceptance criteria': facts.filter((line) => line.includes('docs/epics.md:')),
      '## Technical notes': facts.filter((line) => line.includes('docs/architecture.md:')),
      '## User interface': facts.filter((line) => line.includes('docs/ux.md:')),
      '## Tasks': ['- [ ] Build it (AC: 1, 2, 3)', '- [ ] Tests at the level of the API (AC: 1, 2, 3)'],
      '## Open questions': open,
    };
    const story = [
      `# Story ${String(epicNum)}.${String(storyNum)}: ${String(storyTitle)}\n\nStatus: ready-for-dev\nKey: ${String(storyKey)}`,
      ...headings.map((heading) => `${heading}\n\n${bodies[heading]?.join('\n') || 'Nothing to add.'}`),
    ].join('\n\n');
    const path = `@project/artifacts/stories/${String(storyKey)}.md`;
    return leave(known, 'step-05-update-sprint-status', path, `${story}\n`);
  },
  'step-05-update-sprint-status'(known) {
    const { storyKey, sprintStatusPath } = known.variables;
    const missing = toReads(known, [
      String(sprintStatusPath),
      `@project/artifacts/stories/${String(storyKey)}.md`,
    ]);
    if (missing) return missing;
    const lines = known.linesOf(String(sprintStatusPath)) ?? [];
    const index = lines.findIndex((line) => line.includes(`${String(storyKey)}: `));
    const line = lines[index] ?? '';
    const diff = [` ${lines[index - 1]}`, `-${line}`, `+${line.replace('backlog', 'ready-for-dev')}`];
    const update = `# Proposed sprint status update\n\n\`\`\`diff\n${diff.join('\n')}\n\`\`\`\n`;
    return leave(known, 'end-99', `${CREATED}/sprint-status-update.md`, update);
  },
  'end-99'(known) {
    const story = `@project/artifacts/stories/${String(known.variables.storyKey)}.md`;
    const missing = toReads(known, [story, `${CREATED}/context.md`, `${CREATED}/sprint-status-update.md`]);
    if (missing) return missing;
    const tasks = (known.linesOf(story) ?? []).filter((line) => line.startsWith('- [ ]')).length;
    const summary = `# Summary: ${String(known.variables.storyKey)}\n\n${tasks} tasks, status ready-for-dev.\n`;
    return leave(known, undefined, `${CREATED}/summary.md`, summary, { workflowStatus: 'complete' });
  },
};

const ABOUT_THE_STORY = /invit|join/i;

/** The questions about the story that the documents leave open, with their source. */
function findOpenQuestions(known: Known, paths: readonly string[]): string[] {
  const isOpen = (line: string): boolean =>
    /^- .*\?.*\(product owner\)/.test(line) &&
    ABOUT_THE_STORY.test(line) &&
    (known.isCautious || !line.includes('Until decided'));
  return paths.flatMap((path) =>
    (known.linesOf(path) ?? []).flatMap((line, index) =>
      isOpen(line) ? [`${line} (${path.replace('@project/', '')}:${index + 1})`] : [],
    ),
  );
}

/** The criteria of the story word for word, and lines of the other documents that are about it. */
function toContext(known: Known, paths: readonly string[], gaps: readonly string[]): string {
  const { storyKey, storyTitle, epicNum, storyNum } = known.variables;
  const epics = known.linesOf('@project/docs/epics.md') ?? [];
  const start = epics.findIndex((line) => line.includes(`Story ${String(epicNum)}.${String(storyNum)}:`));
  const end = epics.findIndex((line, index) => index > start && line.startsWith('#'));
  const facts = paths.flatMap((path) =>
    (known.linesOf(path) ?? []).flatMap((line, index) => {
      const isOwn = path.endsWith('epics.md')
        ? index > start && index < end && /^\d/.test(line)
        : ABOUT_THE_STORY.test(line);
      return isOwn && !/^(?:#|$)/.test(line)
        ? [`- ${line.trim()} (${path.replace('@project/', '')}:${index + 1})`]
        : [];
    }),
  );
  return `# Context for ${String(storyKey)}: ${String(storyTitle)}\n\n${facts.join('\n')}\n\n## Gaps\n\n${gaps.join('\n')}\n`;
}

function readKnown(messages: readonly ChatMessage[]): Omit<Known, 'isCautious'> {
  const start = messages.findLastIndex(
    ({ role, content }) => role === 'user' && content?.includes('NODE_BRIEF\n'),
  );
  const anchor = String(messages[start]?.content);
  const brief = anchor.split('NODE_BRIEF\n').at(-1) ?? '';
  const prefetched = Array.from(
    anchor.matchAll(/^- fs_read \{.*?\} -> (\{.*\})$/gm),
    ([, result = '']) => parseObject(result) ?? {},
  );
  const calls = readCalls(messages.slice(start)).flatMap(({ name, result }) =>
    result.ok ? [{ name, value: result.value }] : [],
  );
  return {
    nodeId: /^- currentNodeId: (.*)$/m.exec(brief)?.[1] ?? '',
    variables: parseObject(/^- variables: (.*)$/m.exec(brief)?.[1] ?? '') ?? {},
    results: [...prefetched.map((value) => ({ name: 'fs_read', value })), ...calls],
    linesOf(path) {
      const read = this.results.find(({ name, value }) => name === 'fs_read' && value.path === path);
      const content = read?.value.content;
      return typeof content === 'string' ? withoutLineNumbers(content).split('\n') : undefined;
    },
  };
}

/** The reads that are still needed, as one reply. */
function toReads(known: Known, paths: readonly string[]): ScriptedReply | undefined {
  const missing = paths.filter((path) => known.linesOf(path) === undefined);
  return missing.length === 0
    ? undefined
    : { calls: missing.map((path) => ({ name: 'fs_read', arguments: { path } })) };
}

function search(query: string): ScriptedCall {
  return { name: 'fs_search', arguments: { query, path: '@project/docs' } };
}

function write(path: string, content: string): ScriptedCall {
  return { name: 'fs_write', arguments: { path, content } };
}

function complete({ nodeId }: Known, next?: string, variables?: Result): ScriptedCall {
  return { name: 'runtime_complete_node', arguments: { nodeId, next, variables } };
}

/** Writes the output and completes the node. */
function leave(
  known: Known,
  next: string | undefined,
  path: string,
  content: string,
  variables?: Result,
): ScriptedReply {
  return { calls: [write(path, content), complete(known, next, variables)] };
}
