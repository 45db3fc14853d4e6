/**
 * The runtime's own commands as they are typed in a conversation, and what each does in a few words.
 */
import { type BuiltinAction, findGlobalCommand, GLOBAL_COMMANDS } from '@crewagent/protocol/commands';
import { toColumns } from './describe-menu.ts';
import type { Styler } from './terminal.ts';

const HELP: Readonly<Record<BuiltinAction, string>> = {
  'menu.show': "show the agent's menu",
  'help.show': 'show these commands',
  'agent.dismiss': 'dismiss the agent; what is said then is plain chat',
  'run.resume': 'go on with the run that was left or stopped; of several it asks which',
  'run.pause': 'stop the run where it is; /resume goes on with it',
  'run.stop': 'stop the run and leave it; /resume goes on with it',
  'run.undo': 'take back what was changed last in the project',
  'model.show': 'show which model answers',
  'context.show': "show how full the model's context is",
  'run.allow-change': 'allow one change of a workflow that is complete',
};

export interface GlobalCommand {
  /** With its `/`. */
  readonly name: string;
  readonly help: string;
}

export const COMMANDS: readonly GlobalCommand[] = [...GLOBAL_COMMANDS].map(([name, action]) => ({
  name: `/${name}`,
  help: name === 'exit' ? 'dismiss the agent; in plain chat, leave' : HELP[action],
}));

/** Whether a line is for the runtime itself, also in a run and where something was asked. */
export function isGlobalCommand(text: string): boolean {
  if (RESUME.test(text.normalize('NFKC'))) return true;
  const name = nameOf(text, /^\s*[/、](\S+)\s*$/u);
  return name !== undefined && findGlobalCommand(name) !== undefined;
}

/** With the number or the id of a run. */
const RESUME = /^\s*[/、](?:resume\s+|(?:继续|恢复)\s*)[0-9a-f][0-9a-f-]*\s*$/iu;

/** `/exit`, which in plain chat is for whoever shows it. */
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
