/** Whether the text of a step tells the model to wait for a person. Pure. */
import { findMenu, type MenuOption } from './letter-menu.ts';

export interface WaitingText {
  /** The text contains WAIT, or halts. */
  readonly isWaiting: boolean;
  /** It waits for the person whatever the inputs are: HALT, "wait for the user", a letter menu. */
  readonly isHalting: boolean;
  readonly menu: readonly MenuOption[];
}

export function findWait(body: string): WaitingText {
  const menu = findMenu(body);
  const isWaiting = WAITS.test(body);
  // A menu next to a WAIT is shown only when the WAIT applies.
  const isHalting = HALTS.test(body) || (menu.length > 0 && !isWaiting);
  return { isWaiting: isWaiting || isHalting, isHalting, menu };
}

const WAITS = /\bWAIT\b|等待(?:回答|回复|答复|选择)/;
const HALTS = /\bHALT\b|\b[Ww]ait(?:s|ing)? for (?:the |your )?(?:user|person)\b|等待用户|暂停并等待/;
