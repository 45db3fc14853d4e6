/**
 * Options and help of the package commands.
 */
import type { Command } from 'commander';
import { add, type Done, examples, lazily, withExamples } from './help-text.ts';

export function definePackageCommands(program: Command, done: Done): void {
  add(program, 'validate', 'check a package and list all problems', {
    '<path...>': 'a .bmad or .zip file, or a package folder',
  })
    .option('--json', 'print {ok, path, errors, warnings} as one line of JSON per path')
    .addHelpText(...withExamples('crewagent validate my-package', 'crewagent validate story.bmad --json'))
    .action(lazily(() => import('../commands/validate.ts'), 'validate', done));

  add(program, 'pack', 'validate a package folder and pack it into a .bmad file', {
    '<dir>': 'the folder that holds bmad.json',
  })
    .option('-o, --out <file>', 'where to write (default: NAME-VERSION.bmad in the current folder)')
    .option('--json', 'print the result as JSON')
    .addHelpText(...withExamples('crewagent pack my-package', 'crewagent pack my-package -o dist/story.bmad'))
    .action(lazily(() => import('../commands/pack.ts'), 'pack', done));

  add(program, 'new', 'create a working two-step package to start from', { '<dir>': 'a new or empty folder' })
    .option('--name <name>', 'name of the package (default: the name of the folder)')
    .addHelpText(...withExamples('crewagent new my-package'))
    .action(lazily(() => import('../commands/new.ts'), 'newPackage', done));

  defineImport(program, done);
  definePackages(program, done);
}

function defineImport(program: Command, done: Done): void {
  add(program, 'import', 'convert a BMAD module or a folder of skills to a package', {
    '<source>': 'a BMAD module or checkout, an installed _bmad folder, or a folder with SKILL.md files',
  })
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
    .action(lazily(() => import('../commands/import.ts'), 'importCommand', done));
}

function definePackages(program: Command, done: Done): void {
  const packages = add(program, 'packages', 'list, add and remove installed packages').addHelpText(
    ...withExamples(
      'crewagent packages list',
      'crewagent packages add story.bmad',
      'crewagent packages remove story',
    ),
  );

  add(packages, 'list', 'list installed packages')
    .option('--json', 'print a JSON array')
    .action(lazily(() => import('../commands/packages.ts'), 'list', done));

  add(packages, 'add', 'validate and install packages', {
    '<path...>': 'a .bmad or .zip file, or a package folder',
  })
    .option('--json', 'print one line of JSON per package')
    .action(lazily(() => import('../commands/packages.ts'), 'add', done));

  add(packages, 'remove', 'remove an installed package', {
    '<id>': 'its id, the first characters of it, its name, or name@version',
  })
    .option('--force', 'even if an unfinished run needs it')
    .action(lazily(() => import('../commands/packages.ts'), 'remove', done));
}
