/**
 * The action of an approval request, in logs of any version. Earlier versions only recorded file changes.
 */
import type { EventOf } from './events.ts';
import { effectKindOf } from './tool-effects.ts';
import type { DescribedAction, RunsLater } from './tools.ts';

export function actionOf({
  tool,
  action,
  path = '',
  diff = '',
}: Pick<EventOf<'approval.requested'>, 'tool' | 'action' | 'path' | 'diff'>): DescribedAction {
  return action ?? toFileAction(tool, path, diff, effectKindOf(tool));
}

export function toFileAction(
  tool: string,
  path: string,
  diff: string,
  effect: DescribedAction['effect'],
): DescribedAction {
  return {
    title: `${tool} wants to change ${path}`,
    target: path,
    effect,
    preview: { kind: 'diff', text: diff, ...(isCutPreview(diff) ? { isCut: true } : {}) },
  };
}

/** The last line of a preview whose end is missing. No line of a diff begins like it. Earlier versions gave the length instead. */
const CUT = /\n… (?:[\d,]+ more lines? \([\d,]+ bytes\), not shown|\(\d+ characters in (?:total|all)\))\n$/;

/** Whether the end of a diff is missing. */
export function isCutPreview(diff: string): boolean {
  return CUT.test(diff.slice(-120));
}

/** A file change: its target is a path, and consent may cover other files. */
export function isFileAction({ preview }: DescribedAction): boolean {
  return preview.kind === 'diff';
}

/** Whether the action leaves the project, so that it cannot be undone. What a program changed in its view can be. */
export function isOutsideProject(action: DescribedAction): boolean {
  return action.effect === 'external' && !isFileAction(action);
}

/** Whether consent can only be given for this call: a file that runs later, or a command without a sandbox. */
export function isOnceOnly({
  action,
  runsLater,
}: {
  readonly action: DescribedAction;
  readonly runsLater?: RunsLater | undefined;
}): boolean {
  return runsLater !== undefined || action.isOnceOnly === true;
}

/** What differs between an action that was approved and the same call when it was to be executed. */
export const CHANGED_FACTS = ['target', 'kind', 'mode', 'runner', 'content', 'identity', 'preview'] as const;
export type ChangedFact = (typeof CHANGED_FACTS)[number];
