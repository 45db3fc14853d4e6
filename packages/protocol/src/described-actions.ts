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
    preview: { kind: 'diff', text: diff },
  };
}

/** A file change: its target is a path, and consent may cover other files. */
export function isFileAction({ preview }: DescribedAction): boolean {
  return preview.kind === 'diff';
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
