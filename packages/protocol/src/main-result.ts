/** The main result of a run: the file that a person reads first. Pure. */
import { fillVariables } from './fill-variables.ts';
import type { Story } from './story/story.ts';

/**
 * `written`: mount paths of the files that the run wrote and that exist, in the order they were last written. The file that the
 * workflow names counts if it was written; else the last document, else the last file.
 */
export function chooseMainResult(
  { workflow, state }: Pick<Readonly<Story>, 'workflow' | 'state'>,
  written: readonly string[],
): string | undefined {
  const named = workflow?.result === undefined ? undefined : toProjectPath(workflow.result, state.variables);
  if (named !== undefined && written.includes(named)) return named;
  return written.findLast((path) => DOCUMENT.test(path)) ?? written.at(-1);
}

const DOCUMENT = /\.(?:md|markdown)$/i;

function toProjectPath(named: string, variables: Readonly<Record<string, unknown>>): string {
  return `@project/${fillVariables(named, variables).replace(/^(?:@project|\{project-root\}|\.)\/+/, '')}`;
}
