/**
 * Options and help of `crewagent runs`, `show`, `status`, `rewind`, `upgrade`, `undo` and `models`.
 */
import { type Command, Option } from 'commander';
import { add, type Done, examples, lazily, PLAIN, parseCount, repeated, withExamples } from './help-text.ts';
import { addModelOptions } from './model-options.ts';

const RUN = { '<run>': 'its id, the beginning or end of it, or "last"' };

export function defineHistoryCommands(program: Command, done: Done): void {
  const runs = add(program, 'runs', 'list runs, or delete one')
    .option('-p, --project <dir>', 'only runs in this folder')
    .option('--json', 'print a JSON array')
    .addHelpText(
      ...withExamples('crewagent runs', 'crewagent runs --project .', 'crewagent runs delete last'),
    )
    .action(lazily(() => import('../commands/runs.ts'), 'list', done));
  add(runs, 'delete', 'delete a run with its log; its files in the project stay', RUN)
    .option('--yes', 'delete without asking')
    .action(lazily(() => import('../commands/runs.ts'), 'remove', done));

  defineShow(program, done);

  defineFileUse(program, done);

  add(program, 'rewind', 'start a step of a run again: the one it is at, or an earlier one', RUN)
    .option('--node <id>', 'the step to go back to (default: the current one)')
    .option('--undo', 'also take back what the run changed in the project since then')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      ...withExamples('crewagent rewind last', 'crewagent rewind last --node step-01-intake --undo'),
    )
    .action(lazily(() => import('../commands/rewind.ts'), 'rewind', done));

  add(program, 'upgrade', 'move an unfinished run to another version of its package', RUN)
    .option('--to <version>', 'an installed version, or the id of a package (default: the newest)')
    .option('--node <id>', 'the step to continue at, if the new version does not have the current one')
    .option('--yes', 'move it without asking')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
A run stays with the version it was started with until you move it. You see first what differs: steps that were
added, removed, renamed or changed, and files that changed steps wrote. A step that changed starts again; the files
stay. A run that another process drives is not moved.
${examples('crewagent upgrade last', 'crewagent upgrade last --to 1.2.0 --yes')}`,
    )
    .action(lazily(() => import('../commands/upgrade.ts'), 'upgrade', done));

  add(
    program,
    'undo',
    'undo the changes a run or a conversation made in the project; never overwrites your own edits',
    { '<id>': 'id of a run or a conversation, the beginning or end of it, or "last" for the last run' },
  )
    .addOption(new Option('--call <id>', 'only changes of this tool call').conflicts(['node', 'all']))
    .addOption(new Option('--node <id>', 'only changes of this step').conflicts(['all']))
    .option('--all', 'all changes')
    .option('--redo', 'redo undone changes')
    .option('--dry-run', 'only list the changes')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      ...withExamples('crewagent undo last', 'crewagent undo last --all', 'crewagent undo last --all --redo'),
    )
    .action(lazily(() => import('../commands/undo.ts'), 'undo', done));

  add(
    program,
    'search',
    'find words in the messages of all runs and conversations, and in the files they wrote',
  )
    .argument('<text...>', 'words; all of them must occur')
    .option('--limit <number>', 'how many to print', '10')
    .option('--json', 'print the result as JSON')
    .addHelpText(...withExamples('crewagent search shopping list', 'crewagent search 购物清单 --json'))
    .action(lazily(() => import('../commands/search.ts'), 'search', done));

  add(
    add(program, 'models', 'compare how models behaved in your runs'),
    'report',
    'refused moves, incomplete outputs, invalid calls, loops and cost per proved step, by model and package, best first',
  )
    .option('--package <name>', 'only runs of this package')
    .option('--since <date>', 'only runs that were started on this day or later, such as 2026-01-31')
    .option('--json', 'print a JSON array')
    .addHelpText(
      ...withExamples(
        'crewagent models report',
        'crewagent models report --package create-story --since 2026-01-31',
      ),
    )
    .action(lazily(() => import('../commands/models-report.ts'), 'reportModels', done));
}

function defineShow(program: Command, done: Done): void {
  add(program, 'show', 'show the position of a run, its messages, and what it is waiting for', RUN)
    .option('--log', 'print every event, one per line')
    .option('--evidence', 'print what is proved of each step, and how')
    .addOption(
      new Option('--request <turn>', 'print what the model was sent in this turn, proved by its hash')
        .argParser(parseCount)
        .conflicts(['log', 'evidence']),
    )
    .addOption(
      new Option('--diff <turn>', 'with --request: only what differs from this earlier request').argParser(
        parseCount,
      ),
    )
    .option('--raw', 'with --request: the JSON text whose SHA-256 the log has')
    .option('--json', 'print it as JSON')
    .addHelpText(
      ...withExamples(
        'crewagent show last',
        'crewagent show last --log',
        'crewagent show last --evidence',
        'crewagent show last --request 3 --diff 2',
        'crewagent show last --request 3 --raw | sha256sum',
      ),
    )
    .action(lazily(() => import('../commands/show.ts'), 'show', done));
}

/** Which files runs used, and what follows from that. */
function defineFileUse(program: Command, done: Done): void {
  add(program, 'status', 'show which results of runs are out of date, and why', {
    '[project]': 'the project folder (default: this folder)',
  })
    .option('--json', 'print it as JSON')
    .addHelpText(
      'after',
      `
A step is out of date if a file that it read has changed since, if an installed version of its package has another
text for it, or if it read what such a step wrote.
${examples('crewagent status', 'crewagent status ~/my-project --json')}`,
    )
    .action(lazily(() => import('../commands/status.ts'), 'status', done));

  const rerun = add(program, 'rerun', 'run again what is out of date in a run, and nothing else', RUN)
    .requiredOption('--stale', 'the steps that are out of date, as "crewagent status" shows them')
    .option('--preview', 'only show what would run')
    .option('--yes', 'do not ask')
    .option(...repeated('-i, --input <text>', 'the answer to the next question; repeat for later ones'))
    .option('--json', 'print the plan or the events as JSON')
    .option(...PLAIN);
  addModelOptions(rerun)
    .addHelpText(
      'after',
      `
A new run in the same folder begins at the first step that is out of date. Steps that nothing has changed for keep
their results, also after a step that writes the same content again. The run itself stays as it is.
${examples('crewagent rerun last --stale --preview', 'crewagent rerun last --stale', 'crewagent rerun 1cb6ead1 --stale --yes --json')}`,
    )
    .action(lazily(() => import('../commands/rerun.ts'), 'rerun', done));

  add(program, 'rights', 'show which files the steps of a run used without declaring them', RUN)
    .option(
      '--add [folder]',
      'add them to the steps in the folder of the package (default: where it was installed from)',
    )
    .option('--json', 'print it as JSON')
    .addHelpText(
      ...withExamples(
        'crewagent rights last',
        'crewagent rights last --add',
        'crewagent rights last --add ./my-package',
      ),
    )
    .action(lazily(() => import('../commands/rights.ts'), 'rights', done));
}
