/**
 * Runtime commands (`/menu`, `/stop`, …) as typed in a conversation, with their help texts.
 */
import { type BuiltinAction, findGlobalCommand, GLOBAL_COMMANDS } from '@crewagent/protocol/commands';
import { toColumns } from './print/describe-menu.ts';
import type { Styler } from './terminal.ts';

const HELP: Readonly<Record<BuiltinAction, string>> = {
  'menu.show': "show the agent's menu",
  'help.show': 'show these commands',
  'agent.dismiss': 'dismiss the agent and continue as plain chat',
  'run.resume': 'resume the run that was left or stopped; asks which if there are several',
  'run.pause': 'stop the run where it is; /resume continues it',
  'run.stop': 'stop the run and leave it; /resume continues it',
  'run.undo': 'undo the last change in the project',
  'model.show': 'show the current model',
  'context.show': "show how full the model's context is",
  'run.allow-change': 'allow one change to a completed workflow',
};

export interface GlobalCommand {
  /** Including the `/`. */
  readonly name: string;
  readonly help: string;
}

export const COMMANDS: readonly GlobalCommand[] = [...GLOBAL_COMMANDS].map(([name, action]) => ({
  name: `/${name}`,
  help: name === 'exit' ? 'dismiss the agent; in plain chat, leave' : HELP[action],
}));

/** Whether a line is a runtime command; also valid in a run and while a question is pending. */
export function isGlobalCommand(text: string): boolean {
  if (RESUME.test(text.normalize('NFKC'))) return true;
  const name = nameOf(text, /^\s*[/、](\S+)\s*$/u);
  return name !== undefined && findGlobalCommand(name) !== undefined;
}

/** `/resume` with the number or id of a run. */
const RESUME = /^\s*[/、](?:resume\s+|(?:继续|恢复)\s*)[0-9a-f][0-9a-f-]*\s*$/iu;

/** `/exit`, which in plain chat is handled by the user interface. */
export function isExit(text: string): boolean {
  return ['exit', '退出'].includes(nameOf(text, /^\s*[/*、](\S+)\s*$/u) ?? '');
}

export function describeCommands(options: {
  readonly style: Styler;
  readonly width: number | undefined;
}): string[] {
  return toColumns(
    COMMANDS.map(({ name, help }) => ({ name, text: help })),
    options,
  );
}

function nameOf(text: string, command: RegExp): string | undefined {
  return command.exec(text.normalize('NFKC'))?.[1]?.toLowerCase();
}
