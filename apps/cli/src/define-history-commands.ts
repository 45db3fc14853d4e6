/**
 * The commands that look at runs and what they did: their options and help.
 */
import { type Command, Option } from 'commander';
import type { UndoOptions } from './commands/undo.ts';
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
      done(await (await import('./commands/runs.ts')).list(options));
    });
  runs
    .command('delete')
    .description('delete a run with its log; its files in the project stay')
    .argument('<run>', RUN)
    .option('--yes', 'do not ask')
    .action(async (ref: string, options: { yes?: true }) => {
      done(await (await import('./commands/runs.ts')).remove(ref, options));
    });

  program
    .command('show')
    .description('show where a run is, what it said, and what it waits for')
    .argument('<run>', RUN)
    .option('--log', 'every event, one a line')
    .option('--json', 'print it as JSON')
    .addHelpText('after', examples('crewagent show last', 'crewagent show last --log'))
    .action(async (ref: string, options: { json?: true; log?: true }) => {
      done(await (await import('./commands/show.ts')).show(ref, options));
    });

  program
    .command('undo')
    .description('take back what a run changed in the project; never over your own edits')
    .argument('<run>', RUN)
    .addOption(new Option('--call <id>', 'only what this tool call changed').conflicts(['node', 'all']))
    .addOption(new Option('--node <id>', 'only what this step changed').conflicts(['all']))
    .option('--all', 'everything it changed')
    .option('--redo', 'bring back what was undone')
    .option('--dry-run', 'only say what would be done')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples('crewagent undo last', 'crewagent undo last --all', 'crewagent undo last --all --redo'),
    )
    .action(async (ref: string, options: UndoOptions) => {
      done(await (await import('./commands/undo.ts')).undo(ref, options));
    });
}
