/**
 * The process of a stdio server: a process tree, inside the sandbox if a person configured that.
 */
import { homedir } from 'node:os';
import type { SandboxOptions } from '@crewagent/protocol/sandbox';
import {
  type ProcessEnd,
  type ProcessTree,
  startProcessTree,
  type TreeCommand,
} from '../processes/process-tree.ts';
import { findProjectSandbox } from '../processes/sandbox.ts';

export interface ServerCommand extends TreeCommand {
  /** Must run in the sandbox, with this access besides the project. */
  readonly sandbox?: SandboxOptions & { readonly project: string };
}

export interface ServerProcess extends Omit<ProcessTree, 'ended'> {
  /** Resolves to a sentence about how the process ended; never rejects. */
  readonly ended: Promise<string>;
}

/** The command as it is started. Throws if it must run in a sandbox and there is none. */
export async function toStartedCommand({
  sandbox: options,
  ...command
}: ServerCommand): Promise<TreeCommand> {
  if (!options) return command;
  const { project, network, folders } = options;
  const { state, wrap } = await findProjectSandbox(project);
  if (!wrap)
    throw new Error(
      `The server may only run in a sandbox, and there is none: ${state.reason ?? 'no reason given'}`,
    );
  const readable = folders.map((folder) => folder.replace(/^~(?=\/)/, homedir()));
  const access = { project, network, folders: readable, readOnly: [], hidden: [] };
  return { ...command, ...wrap(command, command.cwd, access) };
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
