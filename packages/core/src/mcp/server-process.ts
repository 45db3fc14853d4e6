/**
 * The process of a stdio server: a process tree, inside the sandbox if a person configured that.
 */
import type { ProcessEnd, ProcessTree, TreeCommand } from '../processes/process-tree.ts';
import { startProcessTree } from '../processes/process-tree.ts';

export type ServerCommand = TreeCommand;

export interface ServerProcess extends Omit<ProcessTree, 'ended'> {
  /** Resolves to a sentence about how the process ended; never rejects. */
  readonly ended: Promise<string>;
}

export function startServerProcess(command: ServerCommand): ServerProcess {
  const { ended, ...tree } = startProcessTree(command);
  return { ...tree, ended: ended.then(toEnding) };
}

function toEnding({ code, signal, error }: ProcessEnd): string {
  if (error !== undefined) return `The command could not be started: ${error}.`;
  if (code === 127) return 'The command was not found.';
  if (code === 126) return 'The command is not executable.';
  return signal === null
    ? `The server exited with code ${code ?? 0}.`
    : `The server was terminated by signal ${signal}.`;
}
