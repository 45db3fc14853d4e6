/**
 * Options and help of `crewagent runs`, `show`, `rewind`, `undo` and `models`.
 */
import { type Command, Option } from 'commander';
import type { ModelsReportOptions } from '../commands/models-report.ts';
import type { RewindOptions } from '../commands/rewind.ts';
import type { UndoOptions } from '../commands/undo.ts';
import { type Done, examples } from './help-text.ts';

const RUN = 'its id, the beginning or end of it, or "last"';

export function defineHistoryCommands(program: Command, done: Done): void {
  const runs = program
    .command('runs')
    .description('list runs, or delete one')
    .option('-p, --project <dir>', 'only runs in this folder')
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      examples('crewagent runs', 'crewagent runs --project .', 'crewagent runs delete last'),
    )
    .action(async (options: { project?: string; json?: true }) => {
      done(await (await import('../commands/runs.ts')).list(options));
    });
  runs
    .command('delete')
    .description('delete a run with its log; its files in the project stay')
    .argument('<run>', RUN)
    .option('--yes', 'delete without asking')
    .action(async (ref: string, options: { yes?: true }) => {
      done(await (await import('../commands/runs.ts')).remove(ref, options));
    });

  program
    .command('show')
    .description('show the position of a run, its messages, and what it is waiting for')
    .argument('<run>', RUN)
    .option('--log', 'print every event, one per line')
    .option('--evidence', 'print what is proved of each step, and how')
    .option('--json', 'print it as JSON')
    .addHelpText(
      'after',
      examples('crewagent show last', 'crewagent show last --log', 'crewagent show last --evidence'),
    )
    .action(async (ref: string, options: { json?: true; log?: true; evidence?: true }) => {
      done(await (await import('../commands/show.ts')).show(ref, options));
    });

  program
    .command('rewind')
    .description('start a step of a run again: the one it is at, or an earlier one')
    .argument('<run>', RUN)
    .option('--node <id>', 'the step to go back to (default: the current one)')
    .option('--undo', 'also take back what the run changed in the project since then')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples('crewagent rewind last', 'crewagent rewind last --node step-01-intake --undo'),
    )
    .action(async (ref: string, options: RewindOptions) => {
      done(await (await import('../commands/rewind.ts')).rewind(ref, options));
    });

  program
    .command('undo')
    .description(
      'undo the changes a run or a conversation made in the project; never overwrites your own edits',
    )
    .argument('<id>', 'id of a run or a conversation, the beginning or end of it, or "last" for the last run')
    .addOption(new Option('--call <id>', 'only changes of this tool call').conflicts(['node', 'all']))
    .addOption(new Option('--node <id>', 'only changes of this step').conflicts(['all']))
    .option('--all', 'all changes')
    .option('--redo', 'redo undone changes')
    .option('--dry-run', 'only list the changes')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples('crewagent undo last', 'crewagent undo last --all', 'crewagent undo last --all --redo'),
    )
    .action(async (ref: string, options: UndoOptions) => {
      done(await (await import('../commands/undo.ts')).undo(ref, options));
    });
  defineModels(program, done);
}

function defineModels(program: Command, done: Done): void {
  program
    .command('models')
    .description('compare how models behaved in your runs')
    .command('report')
    .description(
      'refused moves, incomplete outputs, invalid calls, loops and cost per proved step, by model and package, best first',
    )
    .option('--package <name>', 'only runs of this package')
    .option('--since <date>', 'only runs that were started on this day or later, such as 2026-01-31')
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      examples(
        'crewagent models report',
        'crewagent models report --package create-story --since 2026-01-31',
      ),
    )
    .action(async (options: ModelsReportOptions) => {
      done(await (await import('../commands/models-report.ts')).reportModels(options));
    });
}
