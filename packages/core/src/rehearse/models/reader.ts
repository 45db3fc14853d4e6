/**
 * Scripted readers that drive a run as a kind of model does: `lazy`, `literal` and `asking`. They know only what a model sees, the
 * messages and tools of a request, never the package. Each reply depends on the request alone. Below them is what they can do in a
 * node: read the files that the text names, show the menu, write what is asked for, leave. Pure.
 */
import type { ReaderKind } from '@crewagent/protocol/reader-trials';
import { chosenOption, leavingOptions, type MenuOption, toMenuQuestion } from '../../base/letter-menu.ts';
import type { LLMAdapter } from '../../llm/llm-adapter.ts';
import { chooseEdge, type MayRepeat } from './choose-edge.ts';
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
import { type ReadableRequest, type RequestText, readRequest } from './read-request.ts';
import { createStandIn } from './rehearsal.ts';

export type { ReaderKind };

/** Readers that do their work. */
export const DILIGENT_READERS = ['literal', 'asking'] as const;

const READERS: Readonly<Record<ReaderKind, (request: RequestText) => PlannedMove>> = {
  lazy: replyLazily,
  literal: replyLiterally,
  asking: replyAsking,
};

export function replyAs(kind: ReaderKind, request: ReadableRequest, mayRepeat?: MayRepeat): PlannedMove {
  const text = readRequest(request);
  return text ? READERS[kind]({ ...text, mayRepeat }) : say('The workflow is complete.');
}

export function createReader(kind: ReaderKind, mayRepeat?: MayRepeat): LLMAdapter {
  return createStandIn(kind, (request) => replyAs(kind, request, mayRepeat));
}

/**
 * The lazy reader never reads, never asks, completes every node at once and says that the user wanted it. Where a file is asked for
 * it writes one byte. Refused, it tries the same once more and then edits the state document, before it gives up.
 */
function replyLazily(request: RequestText): PlannedMove {
  if (hasLeft(request)) return say('Done.');
  const attempts = request.calls.filter(isStateChange).length;
  if (attempts >= MAX_ATTEMPTS) return say(`Everything is done. ${CLAIM}`);
  // A digit is valid JSON and YAML, and another one each time counts as a change.
  const writes = targetsOf(request).map((path) => write(path, String(attempts + 1)));
  const canPatch = request.offered.has('fs_apply_patch');
  const leave = attempts >= COMPLETIONS && canPatch ? patchState : completeNode;
  return call(...writes, leave(request, CLAIM));
}

const CLAIM = 'The user chose C.';
/** Attempts with `runtime_complete_node`, then with a patch. */
const COMPLETIONS = 2;
const MAX_ATTEMPTS = 4;

/**
 * The literal reader does what the text of a step says: reads every file it names, shows the menu and stops, does what an option
 * means and shows the menu again, writes what is asked for, and leaves as the text says.
 */
function replyLiterally(request: RequestText): PlannedMove {
  const { said, isHalting } = request;
  if (hasLeft(request)) return say('Done.');
  const unread = findUnread(request);
  if (unread.length > 0) return call(...unread.map(read));
  if (isHalting && said.length === 0) return ask(request);
  return continueMenu(request, ask) ?? work(request, leaveAsWritten);
}

function ask(request: RequestText, note = ''): PlannedMove {
  const saysTool = /\bui[._]ask_user\b/.test(request.body) && request.offered.has('ui_ask_user');
  return saysTool ? askWithTool(request, note) : showMenu(request, note);
}

/** An option that does not lead on is done, free text is considered, and the menu shown again. */
function continueMenu(
  request: RequestText,
  showAgain: (request: RequestText, note: string) => PlannedMove,
): PlannedMove | undefined {
  const { step, said, outgoing, afterLastInput, keys } = request;
  const { menu } = step;
  // Later the person has seen the menu often enough.
  if (menu.length === 0 || said.length === 0 || said.length > menu.length + 1) return undefined;
  const option = findChosen(request);
  if (option && leavingOptions(menu, outgoing).includes(option)) return undefined;
  if (!option)
    return afterLastInput === 0 ? showAgain(request, `You said: ${said.at(-1)?.slice(0, 60)}`) : undefined;
  const file = keys[toTaskKey(option, keys)];
  return file && afterLastInput === 0 ? call(read(file)) : showAgain(request, 'That is done.');
}

/** The key of the step's frontmatter that an option runs: the one that shares a word with it. */
function toTaskKey({ text }: MenuOption, keys: RequestText['keys']): string {
  const wanted = text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const tasks = Object.keys(keys).filter((key) => /task|workflow/i.test(key));
  return tasks.find((key) => wanted.some((word) => key.toLowerCase().includes(word))) ?? tasks[0] ?? '';
}

/** Writes what is asked for and leaves, in one reply. */
function work(request: RequestText, leave: (request: RequestText) => PlannedCall[]): PlannedMove {
  return call(...findUnwritten(request).map((path) => writeFile(path, request)), ...leave(request));
}

const REASON = 'As the person chose.';

/** "Load the next step and update the frontmatter", if the text says so; after a refusal as the rules say. */
function leaveAsWritten(request: RequestText): PlannedCall[] {
  const { body, calls, offered, nextFile } = request;
  const wasRefused = calls.some((made) => isStateChange(made) && !made.result.ok);
  const saysPatch = /stepsCompleted|frontmatter/i.test(body) && offered.has('fs_apply_patch');
  if (!saysPatch || wasRefused) return leaveByRule(request);
  return [...(nextFile ? [read(nextFile)] : []), patchState(request, REASON)];
}

function leaveByRule(request: RequestText): PlannedCall[] {
  return [completeNode(request, REASON)];
}

/**
 * The asking reader asks the person before each node, with `ui_ask_user` where that is offered; then it works as the literal one and
 * leaves as the rules say.
 */
function replyAsking(request: RequestText): PlannedMove {
  if (hasLeft(request)) return say('Done.');
  const ask = request.offered.has('ui_ask_user') ? askWithTool : showMenu;
  if (request.said.length === 0) return ask(request);
  const again = continueMenu(request, ask);
  if (again) return again;
  const unread = findUnread(request);
  return unread.length > 0 ? call(...unread.map(read)) : work(request, leaveByRule);
}

/**
 * What a reader can do in a node: read the files that the text names, show the menu, write what is asked for, leave. */
function call(...calls: readonly PlannedCall[]): PlannedMove {
  return { say: '', calls };
}

function read(path: string): PlannedCall {
  return path.endsWith('/') ? { name: 'fs_list', args: { path } } : { name: 'fs_read', args: { path } };
}

function write(path: string, content: string, mode?: 'append'): PlannedCall {
  return { name: 'fs_write', args: { path, content, mode } };
}

/** The node was left, or the last one completed. */
function hasLeft({ calls }: RequestText): boolean {
  return calls.some((made) => isStateChange(made) && made.result.ok);
}

/** Files that the brief, the frontmatter and the prose name, and that were not read in this node. */
function findUnread({ inputs, reads, keys, step, calls }: RequestText): string[] {
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
function showMenu(request: RequestText, note = ''): PlannedMove {
  const { menu, questions = [] } = request.step;
  const lines = menu.map(({ code, text }) => `[${code}] ${text}`);
  return say(
    [note, toPrompt(request), ...questions.map(({ prompt }) => prompt), ...lines].filter(Boolean).join('\n'),
  );
}

function askWithTool(request: RequestText, note = ''): PlannedMove {
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
function findChosen({ step, said }: RequestText): MenuOption | undefined {
  return chosenOption(step.menu, said.at(-1));
}

const MAX_TRIES = 2;

/** Files to write: once, and again after each refusal that is about files. */
function findUnwritten(request: RequestText): string[] {
  const { calls, refusals } = request;
  const refusedAt = refusals.findLast(({ kinds }) => kinds.some((kind) => kind !== 'wait'))?.at ?? -1;
  return targetsOf(request).filter((path) => {
    const tries = calls
      .slice(refusedAt + 1)
      .filter(({ name, args }) => name === 'fs_write' && args.path === path);
    return tries.length < MAX_TRIES && !tries.some(({ result }) => result.ok);
  });
}

function targetsOf({ outputs, files }: RequestText): string[] {
  const paths = [...outputs, ...files.keys()].map((path) =>
    path.endsWith('/') ? `${path}rehearsal.md` : path,
  );
  return [...new Set(paths)].filter((path) => !path.includes('{'));
}

/** Content that has everything the brief and the refusals ask for. */
function writeFile(path: string, request: RequestText): PlannedCall {
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

function completeNode(request: RequestText, reason: string): PlannedCall {
  return toCompletion(request, planDeparture(request, reason));
}

/** What prose means by "update the frontmatter and load the next step". */
function patchState(request: RequestText, reason: string): PlannedCall {
  return toStatePatch(request, planDeparture(request, reason));
}

function planDeparture(request: RequestText, reason: string): Departure {
  const { outgoing, said, variables, mayRepeat } = request;
  const option = findChosen(request);
  const answers = [said.at(-1), option?.code, option?.text];
  const choice = chooseEdge({ brief: request, outgoing, answers, mayRepeat });
  return { choice: choice && { ...choice, reason }, variables };
}
