/**
 * Options and help of the package commands.
 */
import type { Command } from 'commander';
import type { ImportCommandOptions } from '../commands/import.ts';
import { type Done, examples } from './help-text.ts';

export function definePackageCommands(program: Command, done: Done): void {
  program
    .command('validate')
    .description('check a package and list all problems')
    .argument('<path...>', 'a .bmad or .zip file, or a package folder')
    .option('--json', 'print {ok, path, errors, warnings} as one line of JSON per path')
    .addHelpText('after', examples('crewagent validate my-package', 'crewagent validate story.bmad --json'))
    .action(async (paths: string[], options: { json?: true }) => {
      done(await (await import('../commands/validate.ts')).validate(paths, options));
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
      done(await (await import('../commands/pack.ts')).pack(dir, options));
    });

  program
    .command('new')
    .description('create a working two-step package to start from')
    .argument('<dir>', 'a new or empty folder')
    .option('--name <name>', 'name of the package (default: the name of the folder)')
    .addHelpText('after', examples('crewagent new my-package'))
    .action(async (dir: string, options: { name?: string }) => {
      done(await (await import('../commands/new.ts')).newPackage(dir, options));
    });

  defineImport(program, done);
  definePackages(program, done);
}

function defineImport(program: Command, done: Done): void {
  program
    .command('import')
    .description('convert a BMAD module or a folder of skills to a package')
    .argument(
      '<source>',
      'a BMAD module or checkout, an installed _bmad folder, or a folder with SKILL.md files',
    )
    .option('-o, --out <dir>', 'folder of the package (default: its name in the current folder)')
    .option('--module <code>', 'only this module of the source')
    .option('--workflow <id...>', 'only these workflows, by id')
    .option('--no-rehearse', 'skip the rehearsal of every branch')
    .option('--json', 'print {folder, report, diagnostics} as one line of JSON')
    .addHelpText(
      'after',
      `
The source is only read; nothing in it is executed. The package comes with import-report.md, which says how
each construct was converted. Import into the same folder again to follow the source; your edits are kept.

Exit codes: 0 imported and every check passed, 1 imported but a check failed, 2 nothing was imported.
${examples(
  'crewagent import ./bmad/src/modules/bmm',
  'crewagent import ~/project/_bmad --module bmm -o bmm-package',
  'crewagent import ./skills --workflow pdf-report --json',
)}`,
    )
    .action(async (source: string, options: ImportCommandOptions) => {
      done(await (await import('../commands/import.ts')).importCommand(source, options));
    });
}

function definePackages(program: Command, done: Done): void {
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
    .description('list installed packages')
    .option('--json', 'print a JSON array')
    .action(async (options: { json?: true }) => {
      done(await (await import('../commands/packages.ts')).list(options));
    });

  packages
    .command('add')
    .description('validate and install packages')
    .argument('<path...>', 'a .bmad or .zip file, or a package folder')
    .option('--json', 'print one line of JSON per package')
    .action(async (paths: string[], options: { json?: true }) => {
      done(await (await import('../commands/packages.ts')).add(paths, options));
    });

  packages
    .command('remove')
    .description('remove an installed package')
    .argument('<id>', 'its id, the first characters of it, its name, or name@version')
    .option('--force', 'even if an unfinished run needs it')
    .action(async (ref: string, options: { force?: true }) => {
      done(await (await import('../commands/packages.ts')).remove(ref, options));
    });
}
