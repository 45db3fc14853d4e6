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
    '[source...]':
      'a BMAD module or checkout, an installed _bmad folder, a folder with SKILL.md files, a zip, or: git URL[#TAG]',
  })
    .option('-o, --out <dir>', 'folder of the package (default: its name in the current folder)')
    .option(
      '--update <package>',
      'update a package folder of an earlier import, or an installed package by name; without a source from where it came',
    )
    .option('--module <code>', 'only this module of the source')
    .option('--workflow <id...>', 'only these workflows, by id')
    .option('--no-rehearse', 'skip the rehearsal of every branch')
    .option('--json', 'print {folder, report, diagnostics} as one line of JSON')
    .addHelpText(
      'after',
      `
The source is only read; nothing in it is executed. The package comes with import-report.md, which says how
each construct was converted. With --update the package follows its source: your edits are kept and merged,
conflicts are listed, and so is what changed in words and which unfinished runs are at a step that is gone.
A repository is fetched by your own git, without hooks, submodules and prompts.

Exit codes: 0 imported and every check passed, 1 imported but a check failed, 2 nothing was imported.
${examples(
  'crewagent import ./bmad/src/modules/bmm',
  'crewagent import ~/project/_bmad --module bmm -o bmm-package',
  'crewagent import ./skills --workflow pdf-report --json',
  'crewagent import git https://github.com/bmad-code-org/BMAD-METHOD.git#v6.0.0 --module bmm',
  'crewagent import --update bmm',
  'crewagent import --update bmm ../bmad-6.1/src/modules/bmm',
)}`,
    )
    .action(lazily(() => import('../commands/import.ts'), 'importCommand', done));
}

function definePackages(program: Command, done: Done): void {
  const packages = add(program, 'packages', 'list, add, upgrade and remove installed packages').addHelpText(
    ...withExamples(
      'crewagent packages list',
      'crewagent packages add story.bmad',
      'crewagent packages outdated',
      'crewagent packages upgrade story',
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

  add(packages, 'outdated', 'list installed packages whose source has a newer version')
    .option('--all', 'also those that are up to date, or of unknown source')
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      `
Sources are the file or folder a package was installed from, and for an imported package the folder or the git
repository it was converted from.

Exit codes: 0 everything is up to date, 1 something is newer or a source could not be read.
`,
    )
    .action(lazily(() => import('../commands/packages-upgrade.ts'), 'outdated', done));

  add(packages, 'upgrade', 'install what is newer at the source, beside the installed version', {
    '[name]': 'only this package (default: all)',
  })
    .option('--json', 'print one line of JSON per package')
    .addHelpText(
      'after',
      `
Runs stay with their version; "crewagent upgrade RUN" moves one. The folder of an import is updated first and keeps
your edits; if the source changed the same lines, nothing is installed.

Exit codes: 0 done, also if nothing was newer, 1 a package could not be upgraded, 2 there is no such package.
${examples('crewagent packages upgrade', 'crewagent packages upgrade story --json')}`,
    )
    .action(lazily(() => import('../commands/packages-upgrade.ts'), 'upgrade', done));

  add(packages, 'remove', 'remove an installed package', {
    '<id>': 'its id, the first characters of it, its name, or name@version',
  })
    .option('--force', 'even if an unfinished run needs it')
    .action(lazily(() => import('../commands/packages.ts'), 'remove', done));
}
