/**
 * What a reader can do in a node: read the files that the text names, show the menu, write what is asked for, leave. Pure.
 */

import { chosenOption, type MenuOption, toMenuQuestion } from '../../base/letter-menu.ts';
import { chooseEdge } from './choose-edge.ts';
import { toPlaceholder } from './content.ts';
import {
  type Departure,
  isStateChange,
  type PlannedCall,
  type PlannedMove,
  say,
  toCompletion,
  toStatePatch,
} from './leave.ts';
import type { RequestText } from './read-request.ts';

export function call(...calls: readonly PlannedCall[]): PlannedMove {
  return { say: '', calls };
}

export function read(path: string): PlannedCall {
  return path.endsWith('/') ? { name: 'fs_list', args: { path } } : { name: 'fs_read', args: { path } };
}

export function write(path: string, content: string, mode?: 'append'): PlannedCall {
  return { name: 'fs_write', args: { path, content, mode } };
}

/** The node was left, or the last one completed. */
export function hasLeft({ calls }: RequestText): boolean {
  return calls.some((made) => isStateChange(made) && made.result.ok);
}

/** Files that the brief, the frontmatter and the prose name, and that were not read in this node. */
export function findUnread({ inputs, reads, keys, step, calls }: RequestText): string[] {
  const named = Object.entries(keys).filter(
    ([key, value]) =>
      /\.(?:md|csv|xml|yaml)$/.test(value) && !/next|continue|output|task|workflow/i.test(key),
  );
  const inProse = step.namedFiles.filter((path) => !Object.values(keys).includes(path));
  const paths = [...inputs, ...reads, ...named.map(([key]) => `{${key}}`), ...inProse];
  const made = new Set(calls.map(({ args }) => args.path));
  return [...new Set(paths)].filter((path) => !made.has(path));
}

/** In text, as most steps show it. */
export function showMenu(request: RequestText, note = ''): PlannedMove {
  const { menu, questions = [] } = request.step;
  const lines = menu.map(({ code, text }) => `[${code}] ${text}`);
  return say(
    [note, toPrompt(request), ...questions.map(({ prompt }) => prompt), ...lines].filter(Boolean).join('\n'),
  );
}

export function askWithTool(request: RequestText, note = ''): PlannedMove {
  const { menu, questions } = request.step;
  const prompt = toPrompt(request);
  // As small models send it: with empty fields that do not belong there.
  const asked =
    menu.length > 0
      ? [{ ...toMenuQuestion(menu, prompt), default: null, schema: null }]
      : (questions ?? [{ id: 'answer', type: 'text', prompt, options: null }]);
  return { say: note, calls: [{ name: 'ui_ask_user', args: { questions: asked } }] };
}

function toPrompt({ step, title, nodeId }: RequestText): string {
  return step.menu.length > 0 ? 'What would you like to do?' : `What should "${title || nodeId}" use?`;
}

/** The option of the menu that the person chose last. */
export function findChosen({ step, said }: RequestText): MenuOption | undefined {
  return chosenOption(step.menu, said.at(-1));
}

const MAX_TRIES = 2;

/** Files to write: once, and again after each refusal that is about files. */
export function findUnwritten(request: RequestText): string[] {
  const { calls, refusals } = request;
  const refusedAt = refusals.findLast(({ kinds }) => kinds.some((kind) => kind !== 'wait'))?.at ?? -1;
  return targetsOf(request).filter((path) => {
    const tries = calls
      .slice(refusedAt + 1)
      .filter(({ name, args }) => name === 'fs_write' && args.path === path);
    return tries.length < MAX_TRIES && !tries.some(({ result }) => result.ok);
  });
}

export function targetsOf({ outputs, files }: RequestText): string[] {
  const paths = [...outputs, ...files.keys()].map((path) =>
    path.endsWith('/') ? `${path}rehearsal.md` : path,
  );
  return [...new Set(paths)].filter((path) => !path.includes('{'));
}

/** Content that has everything the brief and the refusals ask for. */
export function writeFile(path: string, request: RequestText): PlannedCall {
  const { nodeId, title, body, files, calls, said } = request;
  const revision = calls.filter(
    ({ name, args, result }) => name === 'fs_write' && args.path === path && result.ok,
  );
  const facts = {
    title: title || nodeId,
    nodeId,
    read: calls
      .filter(({ name, result }) => name === 'fs_read' && result.ok)
      .map(({ args }) => toReading(args.path)),
    said: said.map((words) => ({ about: 'The person', words })),
    revision: revision.length + 1,
  };
  const content = toPlaceholder(path, facts, files.get(path));
  const isMarkdown = path.endsWith('.md');
  if (isMarkdown && /\b[Aa]ppend\b|追加/.test(body)) return write(path, `\n${content}`, 'append');
  // As many documents have it: a list of completed steps of their own.
  const head = isMarkdown ? `---\nstepsCompleted: [${nodeId}]\n---\n\n` : '';
  return write(path, head + content);
}

function toReading(path: unknown) {
  return { path: String(path), note: '' };
}

export function completeNode(request: RequestText, reason: string): PlannedCall {
  return toCompletion(request, planDeparture(request, reason));
}

/** What prose means by "update the frontmatter and load the next step". */
export function patchState(request: RequestText, reason: string): PlannedCall {
  return toStatePatch(request, planDeparture(request, reason));
}

function planDeparture(request: RequestText, reason: string): Departure {
  const { outgoing, said, variables } = request;
  const option = findChosen(request);
  const choice = chooseEdge({ brief: request, outgoing, answers: [said.at(-1), option?.code, option?.text] });
  return { choice: choice && { ...choice, reason }, variables };
}
