/**
 * Options and help of the package commands.
 */
import type { Command } from 'commander';
import { add, type Done, examples, lazily, withExamples } from './help-text.ts';

export function definePackageCommands(program: Command, done: Done): void {
  add(program, 'validate', 'check a package and list all problems', {
    '<path...>': 'a .bmad, .zip or method .md file, or a package folder',
  })
    .option('--json', 'print {ok, path, errors, warnings} as one line of JSON per path')
    .addHelpText(...withExamples('crewagent validate my-package', 'crewagent validate story.bmad --json'))
    .action(lazily(() => import('../commands/validate.ts'), 'validate', done));

  add(program, 'pack', 'validate a package folder and pack it into a .bmad file', {
    '<dir>': 'the folder that holds bmad.json, or a method .md file',
  })
    .option('-o, --out <file>', 'where to write (default: NAME-VERSION.bmad in the current folder)')
    .option('--json', 'print the result as JSON')
    .addHelpText(...withExamples('crewagent pack my-package', 'crewagent pack my-package -o dist/story.bmad'))
    .action(lazily(() => import('../commands/pack.ts'), 'pack', done));

  add(program, 'new', 'create a working two-step package to start from', { '<dir>': 'a new or empty folder' })
    .option('--name <name>', 'name of the package (default: the name of the folder)')
    .option('--from <method>', 'write this method (a .md file or its folder) in the full form instead')
    .addHelpText(...withExamples('crewagent new my-package', 'crewagent new my-package --from method.md'))
    .action(lazily(() => import('../commands/new.ts'), 'newPackage', done));

  defineImport(program, done);
  definePackages(program, done);
  defineEditorCommands(program, done);
}

function defineEditorCommands(program: Command, done: Done): void {
  add(program, 'dev', 'follow a package while you write it: after each change it is checked and tested', {
    '[dir]': 'a package folder, or a method .md file (default: the current folder)',
  })
    .option('--open', 'open the page on which the folder is edited')
    .option('--no-page', 'do not serve that page')
    .option('--json', 'print one line of JSON per round')
    .addHelpText(
      'after',
      `
Validates, rehearses and tests the files where they are; nothing is installed. If only tests have changed, only those
run. The page shows the same files and follows them. Ctrl-C ends it.
${examples('crewagent dev my-package', 'crewagent dev method.md', 'crewagent dev my-package --open')}`,
    )
    .action(lazily(() => import('../commands/dev.ts'), 'dev', done));

  add(program, 'lsp', 'serve findings, completion and definitions to an editor')
    .option('--stdio', 'over standard input and output (always; editors pass this option)')
    .addHelpText(
      'after',
      `
Speaks the Language Server Protocol for the JSON and Markdown files of package folders. Your editor starts it; see
docs/authors/editors.md for how to set up Neovim, Helix and others.
`,
    )
    .action(lazily(() => import('../commands/lsp.ts'), 'lsp', done));

  add(program, 'schemas', 'write the JSON Schemas of the format beside a package, for editors', {
    '<dir>': 'the folder that holds bmad.json',
  })
    .addHelpText(...withExamples('crewagent schemas my-package'))
    .action(lazily(() => import('../commands/lsp.ts'), 'schemas', done));
}

function defineImport(program: Command, done: Done): void {
  add(program, 'import', 'convert a BMAD module or a folder of skills to a package', {
    '[source...]':
      'a BMAD module or checkout, an installed _bmad folder, a folder with SKILL.md files, a zip, a method .md file, or: git URL[#TAG]',
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
  'crewagent import method.md -o my-package',
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

  add(packages, 'show', 'show an installed package: about it, its source, signer and contents', {
    '<id>': 'its id, the first characters of it, its name, or name@version',
  })
    .option('--json', 'print it as JSON')
    .action(lazily(() => import('../commands/packages.ts'), 'show', done));

  add(packages, 'add', 'validate and install packages', {
    '<from...>': 'a path, https://…, git+https://…[#TAG], npm:NAME[@VERSION], or a name in an index',
  })
    .option('--sha256 <hash>', 'install it only if it has this hash')
    .option('--accept-signer', 'accept another signer than before, or none')
    .option('--json', 'print one line of JSON per package')
    .addHelpText(
      'after',
      `
Nothing of a package is executed when it is installed. The first signer of a name is remembered; a package of
another signer is refused until you accept it. Proxies: https_proxy, no_proxy. Registry and tokens: ~/.npmrc.
${examples(
  'crewagent packages add story.bmad',
  'crewagent packages add https://example.org/story-1.0.0.bmad',
  'crewagent packages add git+https://example.org/story.git#v1.0.0',
  'crewagent packages add npm:@team/story@1.0.0',
  'crewagent packages add story',
)}`,
    )
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
    .option('--accept-signer', 'accept another signer than before, or none')
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

  defineIndexes(packages, done);

  add(packages, 'remove', 'remove an installed package', {
    '<id>': 'its id, the first characters of it, its name, or name@version',
  })
    .option('--force', 'even if an unfinished run needs it')
    .action(lazily(() => import('../commands/packages.ts'), 'remove', done));
}

function defineIndexes(packages: Command, done: Done): void {
  add(packages, 'search', 'search your indexes for packages', {
    '<words...>': 'that name, title, description or keywords have',
  })
    .option('--json', 'print a JSON array')
    .action(lazily(() => import('../commands/packages-index.ts'), 'search', done));

  const index = add(packages, 'index', 'indexes that packages are found in by name').addHelpText(
    ...withExamples(
      'crewagent packages index add https://example.org/packages/index.json',
      'crewagent packages index add /mnt/team/packages',
    ),
  );
  const load = () => import('../commands/packages-index.ts');
  add(index, 'add', 'add an index', { '<url>': 'address of an index.json, or a folder that has one' }).action(
    lazily(load, 'add', done),
  );
  add(index, 'list', 'list your indexes')
    .option('--json', 'print a JSON array')
    .action(lazily(load, 'list', done));
  add(index, 'remove', 'remove an index', { '<url>': 'as the list shows it' }).action(
    lazily(load, 'remove', done),
  );
}
