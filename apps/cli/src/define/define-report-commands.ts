/**
 * Options and help of `crewagent rehearse`, `crewagent test` and `crewagent export`.
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

  add(program, 'test', 'run the tests in the folder "tests" of a package, and report what they cover', {
    '[folder]': 'a package folder (default: this one)',
  })
    .option('-f, --filter <text>', 'only tests with this text in their name or file')
    .option('--min-coverage <percent>', 'fail below this share of nodes, edges, halts and checks', toPercent)
    .option('--update', 'write the files that results are compared with')
    .option('--junit <file>', 'write the results as JUnit XML as well')
    .option('--json', 'print the whole report as one line of JSON')
    .addHelpText(
      'after',
      `
A test is a YAML file: how a run starts, who plays the model (lazy, literal, asking, rehearsal, or a
recording), what the person says, and what must be true afterwards.

Exit codes: 0 all passed, 1 a test failed or too little was covered, 2 bad input.
${examples(
  'crewagent test',
  'crewagent test my-package --filter refuses',
  'crewagent test my-package --min-coverage 80 --junit report.xml',
  'crewagent test my-package --update',
)}`,
    )
    .action(lazily(() => import('../commands/test.ts'), 'test', done));

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

function toPercent(text: string): number {
  const percent = Number(text);
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent;
  throw new InvalidArgumentError('Give a number from 0 to 100.');
}

const READERS = ['lazy', 'literal', 'asking', 'all'];

function collectReader(text: string, before: readonly string[]): readonly string[] {
  if (READERS.includes(text)) return collect(text, before);
  throw new InvalidArgumentError(`Give one of ${READERS.join(', ')}.`);
}
