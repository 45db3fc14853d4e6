/**
 * Scripted readers that drive a run as a kind of model does: `lazy`, `literal` and `asking`. They know only what a model sees, the
 * messages and tools of a request, never the package. Each reply depends on the request alone.
 */

import type { ReaderKind } from '@crewagent/protocol/reader-trials';
import { leavingOptions, type MenuOption } from '../../base/letter-menu.ts';
import type { LLMAdapter } from '../../llm/llm-adapter.ts';
import {
  askWithTool,
  call,
  completeNode,
  findChosen,
  findUnread,
  findUnwritten,
  hasLeft,
  patchState,
  read,
  showMenu,
  targetsOf,
  write,
  writeFile,
} from './actions.ts';
import { isStateChange, type PlannedCall, type PlannedMove, say } from './leave.ts';
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

export function replyAs(kind: ReaderKind, request: ReadableRequest): PlannedMove {
  const text = readRequest(request);
  return text ? READERS[kind](text) : say('The workflow is complete.');
}

export function createReader(kind: ReaderKind): LLMAdapter {
  return createStandIn(kind, (request) => replyAs(kind, request));
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
