/**
 * The commands, their options and help. Each command's body is loaded only when it is called.
 * The one place where errors become words and exit codes.
 */
import { randomBytes } from 'node:crypto';
import { VERSION } from '@crewagent/protocol/version';
import { Command, CommanderError } from 'commander';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { foreign, printError, styleError } from './terminal.ts';

/** Runs one command line and returns its exit code. */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  ignoreClosedPipe();
  let exit: ExitCode = EXIT.ok;
  const program = defineProgram((code) => {
    exit = code;
  });
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync([...args], { from: 'user' });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return reportError(error);
  }
}

function defineProgram(done: (code: ExitCode) => void): Command {
  const program = new Command('crewagent')
    .description('Runs .bmad expert workflows on your own machine.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('Run with --help to see how it is used.')
    .configureHelp({
      showGlobalOptions: false,
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`.trim(),
    })
    .exitOverride();

  program
    .command('validate')
    .description('check a package and list everything that is wrong with it')
    .argument('<path...>', 'a .bmad or .zip file, or a package folder')
    .option('--json', 'print {ok, path, errors, warnings} as one line of JSON per path')
    .addHelpText('after', examples('crewagent validate my-package', 'crewagent validate story.bmad --json'))
    .action(async (paths: string[], options: { json?: true }) => {
      done(await (await import('./commands/validate.ts')).validate(paths, options));
    });

  program
    .command('pack')
    .description('validate a package folder and pack it into a .bmad file')
    .argument('<dir>', 'the folder that holds bmad.json')
    .option('-o, --out <file>', 'where to write (default: NAME-VERSION.bmad in the current folder)')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples('crewagent pack my-package', 'crewagent pack my-package -o dist/story.bmad'),
    )
    .action(async (dir: string, options: { out?: string; json?: true }) => {
      done(await (await import('./commands/pack.ts')).pack(dir, options));
    });

  program
    .command('new')
    .description('make a working two-step package to start from')
    .argument('<dir>', 'a new or empty folder')
    .option('--name <name>', 'name of the package (default: the name of the folder)')
    .addHelpText('after', examples('crewagent new my-package'))
    .action(async (dir: string, options: { name?: string }) => {
      done(await (await import('./commands/new.ts')).newPackage(dir, options));
    });

  definePackages(program, done);
  return program;
}

function definePackages(program: Command, done: (code: ExitCode) => void): void {
  const packages = program
    .command('packages')
    .description('list, add and remove installed packages')
    .addHelpText(
      'after',
      examples(
        'crewagent packages list',
        'crewagent packages add story.bmad',
        'crewagent packages remove story',
      ),
    );

  packages
    .command('list')
    .description('show what is installed')
    .option('--json', 'print a JSON array')
    .action(async (options: { json?: true }) => {
      done(await (await import('./commands/packages.ts')).list(options));
    });

  packages
    .command('add')
    .description('validate and install packages')
    .argument('<path...>', 'a .bmad or .zip file, or a package folder')
    .option('--json', 'print one line of JSON per package')
    .action(async (paths: string[], options: { json?: true }) => {
      done(await (await import('./commands/packages.ts')).add(paths, options));
    });

  packages
    .command('remove')
    .description('remove an installed package')
    .argument('<id>', 'its id, the first characters of it, its name, or name@version')
    .option('--force', 'even if an unfinished run needs it')
    .action(async (ref: string, options: { force?: true }) => {
      done(await (await import('./commands/packages.ts')).remove(ref, options));
    });
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

/** A CrewError is a sentence for the person; anything else is a fault of ours. */
async function reportError(error: unknown): Promise<ExitCode> {
  const { CrewError } = await import('@crewagent/core');
  if (error instanceof CrewError) {
    printError(`${styleError('red', 'Error:')} ${foreign(error.message)}`);
    const { diagnostics } = error.details;
    if (Array.isArray(diagnostics)) {
      const { printDiagnostics } = await import('./print-diagnostics.ts');
      printDiagnostics(diagnostics, 'error');
    }
    return EXIT.usage;
  }
  const id = randomBytes(4).toString('hex');
  printError(
    `${styleError('red', 'Internal error')} ${id}: this is a fault of CrewAgent, not of your input.`,
  );
  printError(
    process.env.CREWAGENT_DEBUG
      ? error instanceof Error && error.stack
        ? error.stack
        : String(error)
      : 'Run again with CREWAGENT_DEBUG=1 to see the details for a report.',
  );
  return EXIT.failed;
}

/** `crewagent … | head` closes the pipe early, which is no error; a full disk behind `>` is one, in one sentence. */
function ignoreClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT.ok);
    printError(`Error: the output could not be written (${error.code ?? error.message}).`);
    process.exit(EXIT.failed);
  });
}
