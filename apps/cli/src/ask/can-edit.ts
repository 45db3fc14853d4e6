/** Whether a person can write their own version of what a model proposes, in their editor. Pure. */
import type { DescribedAction } from '@crewagent/protocol/tools';

/** The command line of the editor, as the person set it. */
export function editorOf({ VISUAL, EDITOR }: NodeJS.ProcessEnv): string | undefined {
  return VISUAL?.trim() || EDITOR?.trim() || undefined;
}

/** For the change of one text file that the preview shows in full. */
export function canEdit(
  { preview, effect, target, files = [] }: DescribedAction,
  env: NodeJS.ProcessEnv,
): boolean {
  return (
    editorOf(env) !== undefined &&
    (effect === 'written' || effect === 'patched') &&
    target.startsWith('@project/') &&
    files.length === 1 &&
    preview.kind === 'diff' &&
    !preview.isCut &&
    /^@@ /m.test(preview.text)
  );
}
