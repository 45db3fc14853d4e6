/**
 * Options and help of `crewagent rehearse`, `test`, `prompt`, `export` and `open`.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  add,
  collect,
  collectNamed,
  type Done,
  examples,
  lazily,
  parseAmount,
  parseCount,
  withExamples,
} from './help-text.ts';
import { addModelOptions } from './model-options.ts';

export function defineReportCommands(program: Command, done: Done): void {
  add(program, 'rehearse', 'run every branch of a package without a model, and report coverage', {
    '<package>': 'a .bmad, .zip or method .md file, a package folder, or an installed id',
  })
    .option('-w, --workflow <id>', 'only this workflow of the package')
    .option('-p, --project <dir>', 'rehearse on a copy of this folder (default: an empty one)')
    .option(
      '--as <reader>',
      'try it as a model: lazy, literal, asking or all; repeat for others',
      collectReader,
      [],
    )
    .option(
      '--answer <node=text>',
      'what the person says at this node, instead of a placeholder; repeat for others',
      collectNamed,
      new Map(),
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

  defineTest(program, done);
  definePrompt(program, done);
  defineExport(program, done);
  defineOpen(program, done);
}

function defineTest(program: Command, done: Done): void {
  add(program, 'test', 'run the tests in the folder "tests" of a package, and report what they cover', {
    '[folder]': 'a package folder (default: this one), or a method .md file',
  })
    .option('-f, --filter <text>', 'only tests with this text in their name or file')
    .option('--min-coverage <percent>', 'fail below this share of nodes, edges, halts and checks', toPercent)
    .option('--update', 'write the files that results are compared with')
    .option('--junit <file>', 'write the results as JUnit XML as well')
    .option('--from-run <run>', 'make a test of this completed run instead: its id, part of it, or "last"')
    .option('--name <name>', 'with --from-run: the name of the test')
    .optionsGroup('Compare models:')
    .option('--models <names>', 'run the tests with these models instead, and compare them', toNames)
    .option('--repeats <n>', 'how often each model runs each test (default: 1)', parseCount)
    .option('--jobs <n>', 'how many runs are made at a time (default: 4)', parseCount)
    .option('--judge <model>', 'also ask this model for its opinion of the files that were written')
    .option('--max-cost <usd>', 'start no more runs when this much was spent', parseAmount)
    .option('--json', 'print the whole report as one line of JSON')
    .addHelpText(
      'after',
      `
A test is a YAML file: how a run starts, who plays the model (lazy, literal, asking, rehearsal, or a
recording), what the person says, and what must be true afterwards. --from-run writes one of a run that you made,
with its recording and the files it found and wrote, to the folder that its package was installed from.

Exit codes: 0 all passed, 1 a test failed or too little was covered, 2 bad input.
${examples(
  'crewagent test',
  'crewagent test my-package --filter refuses',
  'crewagent test my-package --min-coverage 80 --junit report.xml',
  'crewagent test my-package --update',
  'crewagent test my-package --from-run last --name "A larder"',
  'crewagent test my-package --models local,gpt-5-mini --repeats 3 --max-cost 2',
)}`,
    )
    .action(lazily(() => import('../commands/test.ts'), 'test', done));
}

function defineExport(program: Command, done: Done): void {
  program
    .command('export')
    .helpGroup('Inspect runs:')
    .description(
      'export a run, or one of its files, as Markdown, JSON, HTML, Word or PDF, or as one verifiable file',
    )
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
    .optionsGroup('As one file that others can verify and continue:')
    .addOption(
      new Option('--bundle', 'a .crewrun file, with its log, state, files and package').conflicts([
        'format',
        'file',
      ]),
    )
    .option('--sign [key]', 'sign it with your key, by its name if you have several')
    .option('--encrypt', 'encrypt it with a passphrase, which is asked for')
    .option('--passphrase-env <name>', 'encrypt it with the passphrase in this environment variable')
    .option('--no-package', 'leave the package out: whoever opens it has to have it')
    .option('--all-files', 'also files of the project that the run did not change')
    .addHelpText(
      ...withExamples(
        'crewagent export last',
        'crewagent export last -o run.html',
        'crewagent export last --format json',
        'crewagent export last -o hand-over.pdf',
        'crewagent export last --file artifacts/plan.md -o plan.docx',
        'crewagent export last --bundle --sign',
        'crewagent export last -o plan.crewrun --encrypt',
      ),
    )
    .action(lazily(() => import('../commands/export.ts'), 'exportRunTo', done));
}

function defineOpen(program: Command, done: Done): void {
  const command = program
    .command('open')
    .helpGroup('Inspect runs:')
    .description('verify a run in one file and show what it holds, or continue it here')
    .argument('<file>', 'a .crewrun file')
    .option('-p, --project <dir>', 'the project folder where it would go on', '.')
    .option(
      '--passphrase-env <name>',
      'the environment variable with the passphrase (default: it is asked for)',
    )
    .option('--continue', 'continue it here, after asking')
    .option('--yes', 'with --continue: do not ask')
    .option('--keep-files', 'with --continue: files that were changed here stay as they are')
    .option('--accept-signer', 'with --continue: also if it is signed by another key than before')
    .option('--accept-unproved', 'with --continue: also if requests cannot be rebuilt as they were sent')
    .option('--json', 'print the result as JSON');
  addModelOptions(command)
    .addHelpText(
      'after',
      `
Everything is verified before it is shown: each byte, the chain of the log, each request that a model was sent.
Looking changes nothing. Models, keys and what is asked about are those of this machine.
Exit codes: 0 done, 2 refused or bad usage; with --continue those of "crewagent run".
${examples('crewagent open plan.crewrun', 'crewagent open plan.crewrun --json', 'crewagent open plan.crewrun --project ~/plans --continue')}`,
    )
    .action(lazily(() => import('../commands/bundle.ts'), 'openFile', done));
}

function definePrompt(program: Command, done: Done): void {
  add(program, 'prompt', 'print what a model would be sent at a node of a package, without sending it', {
    '<package>': 'a .bmad, .zip or method .md file, a package folder, or an installed id',
  })
    .option('-n, --node <id>', 'the node (default: the entry of the workflow)')
    .option('-w, --workflow <id>', "the workflow (default: the package's entry)")
    .option('-p, --project <dir>', 'the project whose files it may read (default: an empty one)')
    .option('--set <name=value>', 'a variable or an input; repeat for others', collectNamed, new Map())
    .option('--inputs <file>', 'a YAML or JSON file with variables and inputs')
    .option('--diff <package>', 'print only what differs from this version of the package')
    .option('--json', 'print its parts with their sizes as one line of JSON')
    .addHelpText(
      ...withExamples(
        'crewagent prompt my-package --node review',
        'crewagent prompt my-package --node review --set goal=Lists -p ~/my-project',
        'crewagent prompt my-package --node review --diff ../my-package-1.0',
      ),
    )
    .action(lazily(() => import('../commands/prompt.ts'), 'prompt', done));
}

function toNames(text: string): readonly string[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  if (!names.includes('')) return names;
  throw new InvalidArgumentError('Give names of models, separated by commas.');
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
