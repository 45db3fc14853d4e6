/**
 * Defines the command line program. Each command's implementation is loaded only when it is called.
 * The one module that turns errors into messages and exit codes.
 */
import { randomBytes } from 'node:crypto';
import { CrewError } from '@crewagent/core';
import { VERSION } from '@crewagent/protocol/version';
import { Command, CommanderError, Help } from 'commander';
import { defineConfigCommands } from './define/define-config-commands.ts';
import { defineConversationCommands } from './define/define-conversation-commands.ts';
import { defineDoorCommands } from './define/define-door-commands.ts';
import { defineForkCommands } from './define/define-fork-commands.ts';
import { defineHistoryCommands } from './define/define-history-commands.ts';
import { defineHookCommands } from './define/define-hook-commands.ts';
import { defineMcpCommands } from './define/define-mcp-commands.ts';
import { definePackageCommands } from './define/define-package-commands.ts';
import { definePolicyCommands } from './define/define-policy-commands.ts';
import { defineReportCommands } from './define/define-report-commands.ts';
import { defineRunCommands } from './define/define-run-commands.ts';
import { defineServeCommands } from './define/define-serve-commands.ts';
import { defineSharingCommands } from './define/define-sharing-commands.ts';
import { defineShellCommands } from './define/define-shell-commands.ts';
import { defineTeamCommands, defineTransferCommands } from './define/define-team-commands.ts';
import type { Done } from './define/help-text.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { hostProcess } from './host-process.ts';
import { printError, sanitize, styleError } from './terminal.ts';
import { userLanguage } from './user-language.ts';

/** Runs one command line and returns its exit code. */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  ignoreClosedPipe();
  let exit: ExitCode = EXIT.ok;
  const program = defineProgram(args[0], (code) => {
    if (code !== undefined) exit = code;
  });
  try {
    if (isForHelp(args) && userLanguage() === 'zh-CN') {
      const { translateHelp } = await import('./define/translate-help.ts');
      translateHelp(program, (text) => hostProcess().stdout.write(text));
    }
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync([...args], { from: 'user' });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return reportError(error);
  }
}

function isForHelp(args: readonly string[]): boolean {
  return args.length === 0 || args[0] === 'help' || args.includes('--help') || args.includes('-h');
}

function defineProgram(first: string | undefined, done: Done): Command {
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
      writeOut: (text) => hostProcess().stdout.write(text),
      writeErr: (text) => hostProcess().stderr.write(text),
    })
    .exitOverride();

  const wanted = GROUPS.filter(({ names }) => names.includes(first ?? ''));
  for (const { title, define } of wanted.length > 0 ? wanted : GROUPS) {
    program.commandsGroup(title);
    define(program, done);
  }
  return program;
}

interface CommandGroup {
  readonly title: string;
  readonly names: readonly string[];
  define(program: Command, done: Done): void;
}

/** In the order of the help text. If a command is given, only its group is defined. */
const GROUPS: readonly CommandGroup[] = [
  {
    title: 'Run workflows:',
    names: ['run', 'resume', 'answer', 'approve', 'stop'],
    define: defineRunCommands,
  },
  {
    title: 'Conversations:',
    names: ['agent', 'chat', 'acp', 'conversations'],
    define: defineConversationCommands,
  },
  { title: 'Inspect runs:', names: ['runs', 'show', 'undo', 'models'], define: defineHistoryCommands },
  { title: 'Inspect runs:', names: ['fork', 'compare'], define: defineForkCommands },
  {
    title: 'Write packages:',
    names: ['new', 'dev', 'validate', 'pack', 'import', 'packages', 'lsp', 'schemas'],
    define: definePackageCommands,
  },
  {
    title: 'Write packages:',
    names: ['rehearse', 'test', 'prompt', 'export', 'open'],
    define: defineReportCommands,
  },
  { title: 'Write packages:', names: ['publish', 'keys'], define: defineSharingCommands },
  { title: 'Serve:', names: ['serve'], define: defineServeCommands },
  { title: 'Serve:', names: ['worker', 'team'], define: defineTeamCommands },
  { title: 'Serve:', names: ['push', 'pull'], define: defineTransferCommands },
  { title: 'Set up:', names: ['config', 'doctor'], define: defineConfigCommands },
  { title: 'Set up:', names: ['mcp'], define: defineMcpCommands },
  { title: 'Set up:', names: ['shell'], define: defineShellCommands },
  { title: 'Set up:', names: ['hooks'], define: defineHookCommands },
  { title: 'Set up:', names: ['policy'], define: definePolicyCommands },
  { title: 'Set up:', names: ['connect', 'disconnect', 'export-skill'], define: defineDoorCommands },
];

/** A CrewError has a message for the user; anything else is a bug. */
async function reportError(error: unknown): Promise<ExitCode> {
  if (error instanceof CrewError) {
    printError(`${styleError('red', 'Error:')} ${sanitize(error.message)}`);
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
