/**
 * Options and help of `crewagent run`, `resume`, `answer`, `approve`, `waive` and `stop`.
 */
import type { ApprovalReach } from '@crewagent/protocol/approvals';
import { type Command, Option } from 'commander';
import type { ApproveOptions } from '../commands/resume.ts';
import {
  add,
  collectNamed,
  type Done,
  examples,
  lazily,
  PLAIN,
  repeated,
  withExamples,
} from './help-text.ts';
import { addLimitOptions, approveOption } from './limit-options.ts';
import { addModelOptions } from './model-options.ts';

const RUN = { '<run>': 'its id, the beginning or end of it, or "last"' };
const INPUT = repeated('-i, --input <text>', 'the answer to the next question; repeat for later ones');
const RECORD = ['--record <file>', "record the model's requests and replies to a file for --replay"] as const;
const JSON_LINES = ['--json', 'print one event per line, and the result as the last line'] as const;

export function defineRunCommands(program: Command, done: Done): void {
  defineRun(program, done);

  addModelOptions(
    addProofOptions(
      add(program, 'resume', 'resume a run that was stopped, interrupted or paused', RUN)
        .option(...INPUT)
        .option(...RECORD)
        .option(...JSON_LINES)
        .option(...PLAIN),
    ).option('--preview', 'only show what would happen; nothing is changed'),
  )
    .addHelpText(
      ...withExamples(
        'crewagent resume last',
        'crewagent resume last --preview',
        'crewagent resume 1cb6ead1 --model local',
      ),
    )
    .action(lazily(() => import('../commands/resume.ts'), 'resume', done));

  addModelOptions(
    add(program, 'answer', 'answer a question of a run, or send it a message, and continue', {
      ...RUN,
      '[text...]': 'the answer',
    })
      .option(
        '--set <id=value>',
        'answer one of several questions; repeat for the others',
        collectNamed,
        new Map(),
      )
      .option(...INPUT)
      .option(...RECORD)
      .option(...JSON_LINES)
      .option(...PLAIN),
  )
    .addHelpText(
      ...withExamples(
        'crewagent answer last "Use the second one"',
        'crewagent answer last --set name=Nova --set goal="Ship it"',
      ),
    )
    .action(lazily(() => import('../commands/resume.ts'), 'answer', done));

  defineApprove(program, done);

  defineSkip(program, done);

  defineWaive(program, done);

  add(program, 'stop', 'stop a run that is running in another process; it can be resumed', RUN)
    .addHelpText(...withExamples('crewagent stop last'))
    .action(lazily(() => import('../commands/stop.ts'), 'stop', done));
}

function defineRun(program: Command, done: Done): void {
  const command = add(program, 'run', 'run a workflow of a package in a project folder', {
    '<package>': 'a .bmad, .zip or method .md file, a package folder, or an installed id',
  })
    .option('-p, --project <dir>', 'the folder to work in', '.')
    .option('-w, --workflow <id>', "the workflow (default: the package's entry)")
    .option('-a, --agent <id>', 'the agent that leads (default: the one whose menu offers the workflow)')
    .option(...INPUT)
    .option(...repeated('-d, --document <file>', 'a project file to pass to the run; repeat for more'))
    .option(
      ...repeated(
        '--attach <file>',
        'a file from anywhere, such as a PDF or a picture: copied to "attachments" of the project and passed to the run; repeat for more',
      ),
    )
    .option(
      '--set <name=value>',
      'a variable or an input, for this run; repeat for others',
      collectNamed,
      new Map(),
    )
    .option('--inputs <file>', 'a YAML or JSON file with variables and inputs, for this run')
    .addOption(approveOption())
    .option(
      ...repeated(
        '--allow-executable <pattern>',
        'files that something runs later, such as "Makefile" or ".github/**", to allow when nobody can be asked; repeat for more',
      ),
    )
    .option(...RECORD)
    .option(...JSON_LINES)
    .option(...PLAIN);
  addLimitOptions(addModelOptions(addProofOptions(command)))
    .addHelpText(
      'after',
      `${examples(
        'crewagent run examples/hello-branch --rehearsal',
        'crewagent run story.bmad -p ~/my-project --model local',
        'crewagent run story.bmad -i "Nova" -i "yes" --json',
        'crewagent run story.bmad -d docs/epics.md -d docs/prd.md',
        'crewagent run story.bmad --attach ~/Downloads/brief.pdf',
        'crewagent run story.bmad --set storyKey=1-2 --inputs answers.yaml',
      )}
Exit codes: 0 completed, 1 failed, 2 bad usage or input, 3 waiting for a person, 4 paused by a limit, 5 completed without full proof (--require-proof), 130 interrupted.
`,
    )
    .action(lazily(() => import('../commands/run.ts'), 'run', done));
}

function defineWaive(program: Command, done: Done): void {
  const command = add(
    program,
    'waive',
    'let a run leave its step although a check is not met, and continue; the reason is recorded',
    RUN,
  )
    .option('--output <path>', 'the file whose checks are waived, or the name of another missing check')
    .option('--wait', 'that somebody answers in the step')
    .option('--all', 'everything that is missing')
    .requiredOption('--reason <text>', 'why')
    .option(...INPUT)
    .option(...JSON_LINES)
    .option(...PLAIN);
  addModelOptions(addProofOptions(command))
    .addHelpText(
      ...withExamples(
        'crewagent waive last --output artifacts/prd.md --reason "The old one is fine"',
        'crewagent waive last --all --reason "A trial run"',
      ),
    )
    .action(lazily(() => import('../commands/resume.ts'), 'waive', done));
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
  const command = add(program, 'skip', 'continue without the workflow that a step of the run called', RUN)
    .option('--to <node>', 'the step to continue at, if several follow')
    .option('--node <node>', 'the step whose call is skipped (default: the innermost one)')
    .option(...INPUT)
    .option(...JSON_LINES)
    .option(...PLAIN);
  addModelOptions(command)
    .addHelpText(...withExamples('crewagent skip last', 'crewagent skip last --to summary'))
    .action(lazily(() => import('../commands/resume.ts'), 'skip', done));
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
  const command = add(program, 'approve', 'approve or deny the change a run asks for, and continue', RUN)
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
    .option(...RECORD)
    .option(...JSON_LINES)
    .option(...PLAIN);
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
