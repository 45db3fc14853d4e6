/** What is asked about, printed a screen first, and how much of it was printed: nothing else counts as seen. */
import type { Pending } from '@crewagent/core';
import { hostProcess } from '../host-process.ts';
import { describeChange, describeWish, toShownName } from '../print/pending.ts';
import { printWrapped } from '../print/print-wrapped.ts';
import { shownCells, wrapLine } from '../print/text/wrap.ts';
import { say } from '../print/texts/say.ts';
import { print, style } from '../terminal.ts';

export type Approval = Extract<Pending, { kind: 'approval' }>;

export function createSight(pending: Approval) {
  const { following = [] } = pending;
  const { stdout } = hostProcess();
  const [columns, rows] = [stdout.columns || 80, stdout.rows || 24];
  const head = describeWish(pending, style);
  const toRows = (line: string): string[] => wrapLine(`  ${line}`, columns, DEEPER);
  const lines = describeChange(pending.action, style);
  const others = [
    ...(following.length === 0
      ? []
      : [style('dim', `  ${say('approval.following', { count: following.length })}`)]),
    ...following.map(({ action }) => style('dim', `    ${toShownName(action.target)}`)),
  ];
  const heightOf = (shown: readonly string[]): number =>
    shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(shownCells(line) / columns)), 0);
  const room = Math.max(MIN_LINES, rows - heightOf(head) - others.length - ROWS_BELOW);
  let printed = 0;
  while (printed < lines.length && heightOf(lines.slice(0, printed + 1).flatMap(toRows)) <= room) printed++;
  // A single line that does not fit is not worth a key.
  if (lines.length - printed === 1) printed++;
  let hasShownOthers = following.length === 0;
  const printLines = (shown: readonly string[]): void => {
    for (const row of shown.flatMap(toRows)) print(row);
  };
  return {
    unseen: (): number => lines.length - printed,
    begin(): void {
      printWrapped(...head);
      printLines(lines.slice(0, printed));
      const left = lines.length - printed;
      if (left > 0) printWrapped(style('dim', `  ${say('approval.more', { count: left })}`));
      printWrapped(...others);
    },
    /** Prints what was not printed yet; false if there was something. `isAll`: of the following changes, too. */
    showRest(isAll: boolean): boolean {
      const isSeen = printed === lines.length && (!isAll || hasShownOthers);
      printLines(lines.slice(printed));
      printed = lines.length;
      if (isAll && !hasShownOthers) {
        hasShownOthers = true;
        for (const { action } of following) {
          printWrapped(...describeWish({ action }, style));
          printLines(describeChange(action, style));
        }
      }
      return isSeen;
    },
  };
}

/** Below the preview: how much is left, and the prompt. */
const ROWS_BELOW = 3;
const MIN_LINES = 5;
/** Of the further rows of a line: right of the marks of a diff, so that no text can pass for one. */
const DEEPER = '      ';
