/**
 * Options and help of `crewagent rehearse` and `crewagent export`.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { add, collect, type Done, examples, lazily, withExamples } from './help-text.ts';

export function defineReportCommands(program: Command, done: Done): void {
  add(program, 'rehearse', 'run every branch of a package without a model, and report coverage', {
    '<package>': 'a .bmad or .zip file, a package folder, or an installed id',
  })
    .option('-w, --workflow <id>', 'only this workflow of the package')
    .option('-p, --project <dir>', 'rehearse on a copy of this folder (default: an empty one)')
    .option(
      '--as <reader>',
      'try it as a model: lazy, literal, asking or all; repeat for others',
      collectReader,
      [],
    )
    .option('--json', 'print the whole report as one line of JSON')
    .addHelpText(
      'after',
      `
Readers see only what a model sees:
  lazy     never reads and never asks; completes each step at once, and writes one byte where a file is demanded
  literal  does what the text says, reads the files it names, shows menus and stops
  asking   asks before each step

Exit codes: 0 everything was covered (with --as: lazy was stopped, literal and asking completed), 1 not, 2 bad input.
${examples(
  'crewagent rehearse my-package',
  'crewagent rehearse story.bmad --project .',
  'crewagent rehearse my-package --as lazy',
  'crewagent rehearse my-package --workflow review --as all --json',
)}`,
    )
    .action(lazily(() => import('../commands/rehearse.ts'), 'rehearse', done));

  program
    .command('export')
    .helpGroup('Inspect runs:')
    .description('export a run, or one of its files, as Markdown, JSON, HTML, Word or PDF')
    .argument('<run>', 'its id, the beginning or end of it, or "last"')
    .addOption(
      new Option(
        '--format <format>',
        'md, json, html, docx or pdf (default: from the file extension, or md)',
      ).choices(['md', 'json', 'html', 'docx', 'pdf']),
    )
    .option('--file <path>', 'only this text file of the project, as html, docx or pdf')
    .option('-o, --out <file>', 'where to write (default: standard output)')
    .option('--force', 'overwrite the file if it exists')
    .addHelpText(
      ...withExamples(
        'crewagent export last',
        'crewagent export last -o run.html',
        'crewagent export last --format json',
        'crewagent export last -o hand-over.pdf',
        'crewagent export last --file artifacts/plan.md -o plan.docx',
      ),
    )
    .action(lazily(() => import('../commands/export.ts'), 'exportRunTo', done));
}

const READERS = ['lazy', 'literal', 'asking', 'all'];

function collectReader(text: string, before: readonly string[]): readonly string[] {
  if (READERS.includes(text)) return collect(text, before);
  throw new InvalidArgumentError(`Give one of ${READERS.join(', ')}.`);
}
