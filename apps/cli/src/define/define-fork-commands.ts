/** Options and help of `crewagent fork` and `compare`. */
import { type Command, Option } from 'commander';
import { add, collectNamed, type Done, examples, lazily, PLAIN, repeated } from './help-text.ts';
import { addModelOptions } from './model-options.ts';

const PLACES = ['into', 'worktree', 'sameFolder'] as const;

export function defineForkCommands(program: Command, done: Done): void {
  const place = (flags: string, description: string, own: (typeof PLACES)[number]): Option =>
    new Option(flags, description).conflicts(PLACES.filter((other) => other !== own));
  const fork = add(
    program,
    'fork',
    'go on from an earlier point of a run in a new one; the original stays as it is',
    {
      '<run>': 'its id, the beginning or end of it, or "last"',
    },
  )
    .requiredOption('--at <step>', 'the step to begin with, and which visit of it: STEP or STEP:2')
    .addOption(
      place('--into <dir>', 'work in a copy of the project (default: a new folder beside it)', 'into'),
    )
    .addOption(place('--worktree <dir>', 'work in a git worktree of the project', 'worktree'))
    .addOption(
      place(
        '--same-folder',
        'put the files of the project back, after you have confirmed which',
        'sameFolder',
      ),
    )
    .option('--set <name=value>', 'a variable with another value; repeat for others', collectNamed, new Map())
    .option('--answer <text>', 'another answer to the first question of the step; continues at once')
    .option('--start', 'continue the new run at once')
    .option('--keep-lost', 'leave files as they are now whose content of then was not kept')
    .option('--yes', 'with --same-folder: do not ask')
    .option(...repeated('-i, --input <text>', 'the answer to the next question; repeat for later ones'))
    .option('--json', 'print the result as JSON, and the events if it continues')
    .option(...PLAIN);
  addModelOptions(fork)
    .addHelpText(
      'after',
      `
The new run has the log, the state and the project files of that moment, and the same version of the package.
${examples(
  'crewagent fork last --at decide --model other --start',
  'crewagent fork 1cb6ead1 --at outline:2 --into ../try-two --set tone=formal',
  'crewagent fork last --at interview --answer "For beginners"',
  'crewagent compare last 1cb6ead1',
)}`,
    )
    .action(lazily(() => import('../commands/fork.ts'), 'fork', done));

  add(program, 'compare', 'compare runs side by side: path, decisions, answers, files, checks and cost', {
    '<runs...>': 'two to six runs: ids, their beginning or end, or "last"',
  })
    .option('--diff <path>', 'only the difference of a file, between the first two runs')
    .option('--all', 'also what is the same')
    .option('--json', 'print the comparison as JSON')
    .addHelpText(
      'after',
      examples('crewagent compare 1cb6ead1 last', 'crewagent compare 1cb6ead1 last --diff notes.md'),
    )
    .action(lazily(() => import('../commands/compare.ts'), 'compare', done));
}
