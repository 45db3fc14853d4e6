/**
 * Defines the command line program. Each command's implementation is loaded only when it is called.
 * The one module that turns errors into messages and exit codes.
 */
import { randomBytes } from 'node:crypto';
import { CrewError } from '@crewagent/core';
import { VERSION } from '@crewagent/protocol/version';
import { Command, CommanderError, Help } from 'commander';
import { COMMAND_GROUPS } from './define/command-groups.ts';
import type { Done } from './define/help-text.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { hostProcess } from './host-process.ts';
import { printError, sanitize, styleError } from './terminal.ts';
import { userLanguage } from './user-language.ts';

/** Runs one command line and returns its exit code. */
export async function runProgram(given: readonly string[]): Promise<ExitCode> {
  ignoreClosedPipe();
  const args = toHelpOption(given);
  let exit: ExitCode = EXIT.ok;
  let toShown = (text: string): string => text;
  const write = (text: string): unknown => hostProcess().stdout.write(toShown(text));
  const done: Done = (code) => {
    if (code !== undefined) exit = code;
  };
  const refused: string[] = [];
  const program = defineProgram(args[0], { done, write, writeError: (text) => refused.push(text) });
  try {
    if (isForHelp(args)) {
      const { wrapHelp } = await import('./print/wrap-help.ts');
      toShown = (text) => wrapHelp(text);
    }
    if ((isForHelp(args) || isGroup(program, args)) && userLanguage() === 'zh-CN') {
      const { translateHelp } = await import('./define/translate-help.ts');
      translateHelp(program, write, (text) => hostProcess().stderr.write(text));
    }
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync([...args], { from: 'user' });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error);
    await reportUsage(refused.join(''));
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}

/** What commander says about a command line, or the help of a group without one of its commands. */
async function reportUsage(text: string): Promise<void> {
  const { stderr } = hostProcess();
  if (userLanguage() !== 'zh-CN') stderr.write(text);
  else stderr.write((await import('./define/zh-CN/usage-errors.ts')).toChineseUsage(text));
}

/** `help packages add` is `packages add --help`. A command that does not exist has no help, and is refused. */
function toHelpOption(given: readonly string[]): readonly string[] {
  const args = given[0] === 'help' && given.length > 1 ? [...given.slice(1), '--help'] : given;
  const [first = '-'] = args;
  const isKnown = first.startsWith('-') || first === 'help' || groupsWith(first).length > 0;
  return isKnown ? args : [first];
}

const groupsWith = (name: string) => COMMAND_GROUPS.filter(({ names }) => names.includes(name));

function isForHelp(args: readonly string[]): boolean {
  return args.length === 0 || args[0] === 'help' || args.includes('--help') || args.includes('-h');
}

/** A command that consists of others: without one of them, its help is printed as an error. */
function isGroup(program: Command, args: readonly string[]): boolean {
  let group: Command | undefined = program;
  for (const name of args) group = group?.commands.find((command) => command.name() === name);
  return group !== undefined && group.commands.length > 0;
}

interface Writers {
  readonly done: Done;
  write(text: string): unknown;
  writeError(text: string): unknown;
}

function defineProgram(first: string | undefined, { done, write, writeError }: Writers): Command {
  const program = new Command('crewagent')
    .description('Runs .bmad expert workflows on your own machine.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .commandsGroup('Set up:')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('Run with --help for usage.')
    .configureHelp({
      showGlobalOptions: false,
      subcommandTerm: (command) =>
        `${command.name()} ${command.usage().replace('[options]', '').trim()}`.trim(),
      // Initial values of collected options ([] or a Map) are not worth showing as defaults.
      optionDescription: (option) =>
        option.defaultValue !== undefined && typeof option.defaultValue !== 'string'
          ? option.description
          : new Help().optionDescription(option),
    })
    .configureOutput({
      writeOut: write,
      writeErr: writeError,
    })
    .exitOverride();

  const wanted = groupsWith(first ?? '');
  for (const { title, define } of wanted.length > 0 ? wanted : COMMAND_GROUPS) {
    program.commandsGroup(title);
    define(program, done);
  }
  for (const command of program.commands) ownHelp(command);
  return program;
}

/** An inherited help command would be listed in the group that it has in the program. */
function ownHelp(command: Command): void {
  if (command.commands.length > 0) command.helpCommand('help [command]', 'show help for a command');
  for (const child of command.commands) ownHelp(child);
}

/** A CrewError has a message for the user; anything else is a bug. */
async function reportError(error: unknown): Promise<ExitCode> {
  if (error instanceof CrewError) {
    const { describeError } = await import('./print/describe-error.ts');
    const { printErrorWrapped } = await import('./print/print-wrapped.ts');
    printErrorWrapped(await describeError(error), '       ');
    const { diagnostics, file } = error.details;
    if (typeof file === 'string' && !error.message.includes(file))
      printError(`       ${styleError('dim', sanitize(file))}`);
    if (Array.isArray(diagnostics)) {
      const { printDiagnostics } = await import('./print/print-diagnostics.ts');
      printDiagnostics(diagnostics, 'error');
    }
    return error.details.phase === 'Failed' ? EXIT.failed : EXIT.usage;
  }
  const id = randomBytes(4).toString('hex');
  printError(
    `${styleError('red', 'Internal error')} ${id}: this is a bug in CrewAgent, not a problem with your input.`,
  );
  printError(
    hostProcess().env.CREWAGENT_DEBUG
      ? error instanceof Error && error.stack
        ? error.stack
        : String(error)
      : 'Run again with CREWAGENT_DEBUG=1 for details to include in a bug report.',
  );
  return EXIT.failed;
}

/** `crewagent … | head` closes the pipe early, which is not an error; a full disk behind `>` is. */
function ignoreClosedPipe(): void {
  const host = hostProcess();
  host.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A command that has to clean up first has its own listener.
    if (host.stdout.listenerCount('error') > 1) return;
    if (error.code === 'EPIPE') host.exit(host.exitCode ?? EXIT.ok);
    printError(`Error: the output could not be written (${error.code ?? error.message}).`);
    host.exit(EXIT.failed);
  });
}
