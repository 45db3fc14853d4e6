/**
 * Letter menus of steps, such as `[A] Ask more [C] Continue`: their options, and which of them lead on. Pure.
 */
import { fold } from '@crewagent/protocol/folded-text';
import type { Question } from '@crewagent/protocol/tools';

export interface MenuOption {
  readonly code: string;
  readonly text: string;
}

export const MENU_ID = 'menu';
const MAX_OPTIONS = 12;
const OPTION = /\[([A-Z]{1,2})\][*_)\s:：-]*([^[\n]{1,120})/g;

/** The options of all menus of a step, each letter once; empty if there are fewer than two letters. */
export function findMenu(body: string): readonly MenuOption[] {
  const options = new Map<string, string>();
  for (const line of body.split('\n')) {
    // `- [X] done` is an item of a task list.
    if (/^\s*[-*]\s+\[X\]/.test(line)) continue;
    for (const [, code = '', text = ''] of line.matchAll(OPTION)) {
      const clean = text
        .replace(/["“”*_`|\\]+/g, ' ')
        .replace(/\s+/g, ' ')
        .trim();
      if (clean !== '' && !options.has(code) && options.size < MAX_OPTIONS) options.set(code, clean);
    }
  }
  return options.size < 2 ? [] : [...options].map(([code, text]) => ({ code, text }));
}

export function toMenuQuestion(menu: readonly MenuOption[], prompt: string): Question {
  return { id: MENU_ID, type: 'choice', prompt, options: menu.map(toLine) };
}

/** The option that an answer names by its line, code or text. */
export function chosenOption(menu: readonly MenuOption[], answer: unknown): MenuOption | undefined {
  if (typeof answer !== 'string') return undefined;
  const wanted = fold(answer);
  return menu.find((option) =>
    [toLine(option), option.code, `[${option.code}]`, option.text].some((name) => fold(name) === wanted),
  );
}

const LEADS_ON =
  /\b(?:continue|proceed|next|done|finish|complete|exit|approve|accept|save|skip|yes)\b|继续|下一步|完成|结束|通过|确认|退出/i;

/** Options that leave the node; by default the last one. The other options return to the menu. */
export function leavingOptions(
  menu: readonly MenuOption[],
  outgoing: readonly { readonly to: string; readonly label: string }[],
): readonly MenuOption[] {
  const names = new Set(outgoing.flatMap(({ to, label }) => [to.toLowerCase(), label.toLowerCase()]));
  const isNamed = ({ code, text }: MenuOption): boolean =>
    names.has(code.toLowerCase()) || names.has(text.toLowerCase());
  const leaving = menu.filter((option) => isNamed(option) || LEADS_ON.test(option.text));
  return leaving.length > 0 ? leaving : menu.slice(-1);
}

function toLine({ code, text }: MenuOption): string {
  return `[${code}] ${text}`;
}

export interface WaitingText {
  /** The text contains WAIT, or halts. */
  readonly isWaiting: boolean;
  /** It waits for the person whatever the inputs are: HALT, "wait for the user", a letter menu. */
  readonly isHalting: boolean;
  readonly menu: readonly MenuOption[];
}

/** Whether the text of a step tells the model to wait for a person. */
export function findWait(body: string): WaitingText {
  const menu = findMenu(body);
  const isWaiting = WAITS.test(body);
  // A menu next to a WAIT is shown only when the WAIT applies.
  const isHalting = HALTS.test(body) || (menu.length > 0 && !isWaiting);
  return { isWaiting: isWaiting || isHalting, isHalting, menu };
}

const WAITS = /\bWAIT\b|等待(?:回答|回复|答复|选择)/;
const HALTS = /\bHALT\b|\b[Ww]ait(?:s|ing)? for (?:the |your )?(?:user|person)\b|等待用户|暂停并等待/;
