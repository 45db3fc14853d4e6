/**
 * Options and help of `crewagent run`, `resume`, `answer`, `approve`, `waive` and `stop`.
 */
import type { ApprovalReach } from '@crewagent/protocol/approvals';
import { type Command, Option } from 'commander';
import type {
  AnswerOptions,
  ApproveOptions,
  ResumeOptions,
  SkipOptions,
  WaiveOptions,
} from '../commands/resume.ts';
import type { RunOptions } from '../commands/run.ts';
import { collect, collectNamed, type Done, examples } from './help-text.ts';
import { addLimitOptions, approveOption } from './limit-options.ts';
import { addModelOptions } from './model-options.ts';

const RUN = 'its id, the beginning or end of it, or "last"';
const JSON_LINES = 'print one event per line, and the result as the last line';

export function defineRunCommands(program: Command, done: Done): void {
  defineRun(program, done);

  addModelOptions(
    addProofOptions(
      program
        .command('resume')
        .description('resume a run that was stopped, interrupted or paused')
        .argument('<run>', RUN)
        .option('-i, --input <text>', 'the answer to the next question; repeat for later ones', collect, [])
        .option('--record <file>', "record the model's requests and replies to a file for --replay")
        .option('--json', JSON_LINES),
    ),
  )
    .addHelpText('after', examples('crewagent resume last', 'crewagent resume 1cb6ead1 --model local'))
    .action(async (ref: string, options: ResumeOptions) => {
      done(await (await import('../commands/resume.ts')).resume(ref, options));
    });

  addModelOptions(
    program
      .command('answer')
      .description('answer a question of a run, or send it a message, and continue')
      .argument('<run>', RUN)
      .argument('[text...]', 'the answer')
      .option(
        '--set <id=value>',
        'answer one of several questions; repeat for the others',
        collectNamed,
        new Map(),
      )
      .option('-i, --input <text>', 'the answer to the next question; repeat for later ones', collect, [])
      .option('--record <file>', "record the model's requests and replies to a file for --replay")
      .option('--json', JSON_LINES),
  )
    .addHelpText(
      'after',
      examples(
        'crewagent answer last "Use the second one"',
        'crewagent answer last --set name=Nova --set goal="Ship it"',
      ),
    )
    .action(async (ref: string, text: string[], options: AnswerOptions) => {
      done(await (await import('../commands/resume.ts')).answer(ref, text, options));
    });

  defineApprove(program, done);

  defineSkip(program, done);

  defineWaive(program, done);

  program
    .command('stop')
    .description('stop a run that is running in another process; it can be resumed')
    .argument('<run>', RUN)
    .addHelpText('after', examples('crewagent stop last'))
    .action(async (ref: string) => {
      done(await (await import('../commands/stop.ts')).stop(ref));
    });
}

function defineRun(program: Command, done: Done): void {
  const command = program
    .command('run')
    .description('run a workflow of a package in a project folder')
    .argument('<package>', 'a .bmad or .zip file, a package folder, or an installed id')
    .option('-p, --project <dir>', 'the folder to work in', '.')
    .option('-w, --workflow <id>', "the workflow (default: the package's entry)")
    .option('-a, --agent <id>', 'the agent that leads (default: the one whose menu offers the workflow)')
    .option('-i, --input <text>', 'the answer to the next question; repeat for later ones', collect, [])
    .option('-d, --document <file>', 'a project file to pass to the run; repeat for more', collect, [])
    .addOption(approveOption())
    .option(
      '--allow-executable <pattern>',
      'files that something runs later, such as "Makefile" or ".github/**", to allow when nobody can be asked; repeat for more',
      collect,
      [],
    )
    .option('--record <file>', "record the model's requests and replies to a file for --replay")
    .option('--json', JSON_LINES);
  addLimitOptions(addModelOptions(addProofOptions(command)))
    .addHelpText(
      'after',
      `${examples(
        'crewagent run examples/hello-branch --rehearsal',
        'crewagent run story.bmad -p ~/my-project --model local',
        'crewagent run story.bmad -i "Nova" -i "yes" --json',
        'crewagent run story.bmad -d docs/epics.md -d docs/prd.md',
      )}
Exit codes: 0 completed, 1 failed, 2 bad usage or input, 3 waiting for a person, 4 paused by a limit, 5 completed without full proof (--require-proof), 130 interrupted.
`,
    )
    .action(async (pkg: string, options: RunOptions) => {
      done(await (await import('../commands/run.ts')).run(pkg, options));
    });
}

function defineWaive(program: Command, done: Done): void {
  const command = program
    .command('waive')
    .description('let a run leave its step although a check is not met, and continue; the reason is recorded')
    .argument('<run>', RUN)
    .option('--output <path>', 'the file whose checks are waived, or the name of another missing check')
    .option('--wait', 'that somebody answers in the step')
    .option('--all', 'everything that is missing')
    .requiredOption('--reason <text>', 'why')
    .option('-i, --input <text>', 'the answer to the next question; repeat for later ones', collect, [])
    .option('--json', JSON_LINES);
  addModelOptions(addProofOptions(command))
    .addHelpText(
      'after',
      examples(
        'crewagent waive last --output artifacts/prd.md --reason "The old one is fine"',
        'crewagent waive last --all --reason "A trial run"',
      ),
    )
    .action(async (ref: string, options: WaiveOptions) => {
      done(await (await import('../commands/resume.ts')).waive(ref, options));
    });
}

function addProofOptions(command: Command): Command {
  return command
    .option(
      '--continue-waiting',
      'where a step waits and nobody is there, continue with fixed words; recorded as such',
    )
    .option('--require-proof', 'exit with 5 if the run completes with waived or missing results');
}

function defineSkip(program: Command, done: Done): void {
  const command = program
    .command('skip')
    .description('continue without the workflow that a step of the run called')
    .argument('<run>', RUN)
    .option('--to <node>', 'the step to continue at, if several follow')
    .option('--node <node>', 'the step whose call is skipped (default: the innermost one)')
    .option('-i, --input <text>', 'the answer to the next question; repeat for later ones', collect, [])
    .option('--json', JSON_LINES);
  addModelOptions(command)
    .addHelpText('after', examples('crewagent skip last', 'crewagent skip last --to summary'))
    .action(async (ref: string, options: SkipOptions) => {
      done(await (await import('../commands/resume.ts')).skip(ref, options));
    });
}

const DECISIONS = ['once', 'node', 'run', 'always', 'no'] as const;
type Decision = (typeof DECISIONS)[number];

const REACHES = ['file', 'folder', 'all'] as const satisfies readonly ApprovalReach[];

type ApproveFlags = Omit<ApproveOptions, 'decision' | 'reach'> & { for: ApprovalReach } & {
  [Key in Decision]?: true;
};

function defineApprove(program: Command, done: Done): void {
  const flag = (name: Decision, description: string): Option =>
    new Option(`--${name}`, description).conflicts(DECISIONS.filter((other) => other !== name));
  const command = program
    .command('approve')
    .description('approve or deny the change a run asks for, and continue')
    .argument('<run>', RUN)
    .addOption(flag('once', 'approve this time (default)'))
    .addOption(flag('node', 'approve for the rest of this step'))
    .addOption(flag('run', 'approve for the rest of this run'))
    .addOption(flag('always', 'always approve in this project'))
    .addOption(flag('no', 'deny it'))
    .addOption(
      new Option('--for <files>', 'with --node, --run or --always: which files it applies to')
        .choices(REACHES)
        .default('file'),
    )
    .addOption(
      new Option('--shown <hash>', 'approve exactly the change that was printed with this hash').conflicts(
        'unseen',
      ),
    )
    .option('--unseen', 'approve it without looking at it; the log says so')
    .option('--note <text>', 'a message for the model about it')
    .option('--record <file>', "record the model's requests and replies to a file for --replay")
    .option('--json', JSON_LINES);
  addModelOptions(command)
    .addHelpText(
      'after',
      `
On a terminal it prints the change and asks. Elsewhere it prints the change and its hash, and needs
--shown with that hash, or --unseen. A change that differs from what was printed is not approved.
${examples(
  'crewagent approve last',
  'crewagent approve last --unseen --run --for folder',
  'crewagent approve last --no --note "Keep the README"',
)}`,
    )
    .action(async (ref: string, { for: reach, ...options }: ApproveFlags) => {
      const decision = DECISIONS.find((name) => options[name]) ?? 'once';
      if (command.getOptionValueSource('for') === 'cli' && (decision === 'once' || decision === 'no'))
        command.error("error: option '--for <files>' needs --node, --run or --always");
      done(await (await import('../commands/resume.ts')).approve(ref, { ...options, decision, reach }));
    });
}
