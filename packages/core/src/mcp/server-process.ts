/**
 * The process of a stdio server: a process tree, inside the sandbox if a person configured that.
 */
import type { SandboxOptions } from '@crewagent/protocol/sandbox';
import {
  type ProcessEnd,
  type ProcessTree,
  startProcessTree,
  type TreeCommand,
} from '../processes/process-tree.ts';
import { ServerView, type ServerViews } from './server-view.ts';

export interface ServerCommand extends TreeCommand {
  /** Must run in the sandbox, with this access besides the project. */
  readonly sandbox?: SandboxOptions & { readonly project: string };
}

export interface ServerProcess extends Omit<ProcessTree, 'ended'> {
  /** Resolves to a sentence about how the process ended; never rejects. */
  readonly ended: Promise<string>;
}

/** The command as it is started, and the view it runs in. Throws if it must run in a sandbox and there is none. */
export async function toStartedCommand(
  { sandbox: options, ...command }: ServerCommand,
  views: ServerViews | undefined,
): Promise<{ readonly command: TreeCommand; readonly view?: ServerView }> {
  if (!options) return { command };
  const { project, ...settings } = options;
  const view = await ServerView.open(project, settings, views);
  return { command: view.wrap(command), view };
}

export function startServerProcess(command: TreeCommand): ServerProcess {
  const { ended, ...tree } = startProcessTree(command);
  return { ...tree, ended: ended.then(toEnding) };
}

function toEnding({ code, signal, error }: ProcessEnd): string {
  if (error !== undefined) return `The command could not be started: ${error}.`;
  if (code === 127) return 'The command was not found. Check the name of the program, or give its full path.';
  if (code === 126) return 'The command is not executable. Give the path of a program.';
  return signal === null
    ? `The server exited with code ${code ?? 0}.`
    : `The server was terminated by signal ${signal}.`;
}
