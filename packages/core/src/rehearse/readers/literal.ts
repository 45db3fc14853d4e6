/**
 * The literal reader: does what the text of a step says. Reads every file it names, shows the menu and stops, does what an option
 * means and shows the menu again, writes what is asked for, and leaves as the text says. Pure.
 */

import { leavingOptions, type MenuOption } from '../../base/letter-menu.ts';
import { isStateChange, type PlannedCall, type PlannedMove, say } from '../../llm/rehearsal/leave.ts';
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
  writeFile,
} from './actions.ts';
import type { RequestText } from './read-request.ts';

export function replyLiterally(request: RequestText): PlannedMove {
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
export function continueMenu(
  request: RequestText,
  showAgain: (request: RequestText, note: string) => PlannedMove,
): PlannedMove | undefined {
  const { step, said, ways, afterLastInput, keys } = request;
  const { menu } = step;
  // Later the person has seen the menu often enough.
  if (menu.length === 0 || said.length === 0 || said.length > menu.length + 1) return undefined;
  const option = findChosen(request);
  const outgoing = ways.map((way) => ({ ...way, isMet: false }));
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
export function work(request: RequestText, leave: (request: RequestText) => PlannedCall[]): PlannedMove {
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

export function leaveByRule(request: RequestText): PlannedCall[] {
  return [completeNode(request, REASON)];
}
