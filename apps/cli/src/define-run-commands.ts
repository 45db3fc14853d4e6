/**
 * The commands that drive a run: their options and help.
 */
import type { ApprovalReach } from '@crewagent/protocol/approvals';
import { type Command, Option } from 'commander';
import type { AnswerOptions, ApproveOptions, ResumeOptions } from './commands/resume.ts';
import type { RunOptions } from './commands/run.ts';
import { collect, collectNamed, type Done, examples } from './help-text.ts';
import { addLimitOptions, approveOption } from './limit-options.ts';
import { addModelOptions } from './model-options.ts';

const RUN = 'its id, the beginning or end of it, or "last"';
const JSON_LINES = 'print one event a line, and the result as the last line';

export function defineRunCommands(program: Command, done: Done): void {
  defineRun(program, done);

  addModelOptions(
    program
      .command('resume')
      .description('go on with a run that was stopped, interrupted or paused')
      .argument('<run>', RUN)
      .option('--input <text>', 'answer for the next stop; repeat it for the ones after', collect, [])
      .option('--record <file>', 'write what the model is asked and answers into a file for --replay')
      .option('--json', JSON_LINES),
  )
    .addHelpText('after', examples('crewagent resume last', 'crewagent resume 1cb6ead1 --model local'))
    .action(async (ref: string, options: ResumeOptions) => {
      done(await (await import('./commands/resume.ts')).resume(ref, options));
    });

  addModelOptions(
    program
      .command('answer')
      .description('answer what a run asked, or say something to it, and go on')
      .argument('<run>', RUN)
      .argument('[text...]', 'the answer')
      .option(
        '--set <id=value>',
        'answer one of several questions; repeat it for the others',
        collectNamed,
        new Map(),
      )
      .option('--input <text>', 'answer for the next stop; repeat it for the ones after', collect, [])
      .option('--record <file>', 'write what the model is asked and answers into a file for --replay')
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
      done(await (await import('./commands/resume.ts')).answer(ref, text, options));
    });

  defineApprove(program, done);

  program
    .command('stop')
    .description('stop a run that another process works on; it can be resumed')
    .argument('<run>', RUN)
    .addHelpText('after', examples('crewagent stop last'))
    .action(async (ref: string) => {
      done(await (await import('./commands/stop.ts')).stop(ref));
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
    .option('-i, --input <text>', 'answer for the next stop; repeat it for the ones after', collect, [])
    .option('-d, --document <file>', 'a file of the project to hand to it; repeat it for more', collect, [])
    .addOption(approveOption())
    .option(
      '--allow-executable <pattern>',
      'a file that something runs later, such as "Makefile" or ".github/**", and that may be written without asking where nobody can be asked; repeat it for more',
      collect,
      [],
    )
    .option('--record <file>', 'write what the model is asked and answers into a file for --replay')
    .option('--json', JSON_LINES);
  addLimitOptions(addModelOptions(command))
    .addHelpText(
      'after',
      `${examples(
        'crewagent run examples/hello-branch --rehearsal',
        'crewagent run story.bmad -p ~/my-project --model local',
        'crewagent run story.bmad -i "Nova" -i "yes" --json',
        'crewagent run story.bmad -d docs/epics.md -d docs/prd.md',
      )}
Exit codes: 0 completed, 1 failed, 2 bad usage or input, 3 waits for a person, 4 paused by a limit, 130 interrupted.
`,
    )
    .action(async (pkg: string, options: RunOptions) => {
      done(await (await import('./commands/run.ts')).run(pkg, options));
    });
}

const DECISIONS = ['once', 'node', 'run', 'always', 'no'] as const;
type Decision = (typeof DECISIONS)[number];

const REACHES = ['file', 'folder', 'all'] as const satisfies readonly ApprovalReach[];

type ApproveFlags = Omit<ApproveOptions, 'decision' | 'reach'> & { for: ApprovalReach } & {
  [Key in Decision]?: true;
};

function defineApprove(program: Command, done: Done): void {
  const flag = (name: Decision, words: string): Option =>
    new Option(`--${name}`, words).conflicts(DECISIONS.filter((other) => other !== name));
  const command = program
    .command('approve')
    .description('allow or refuse the change a run asks for, and go on')
    .argument('<run>', RUN)
    .addOption(flag('once', 'yes, this time (default)'))
    .addOption(flag('node', 'yes, and for the rest of this step'))
    .addOption(flag('run', 'yes, and for the rest of this run'))
    .addOption(flag('always', 'yes, and always in this project'))
    .addOption(flag('no', 'refuse it'))
    .addOption(
      new Option('--for <files>', 'with --node, --run or --always: which files it holds for')
        .choices(REACHES)
        .default('file'),
    )
    .option('--note <text>', 'what the model is told about it')
    .option('--record <file>', 'write what the model is asked and answers into a file for --replay')
    .option('--json', JSON_LINES);
  addModelOptions(command)
    .addHelpText(
      'after',
      examples(
        'crewagent approve last',
        'crewagent approve last --run --for folder',
        'crewagent approve last --no --note "Keep the README"',
      ),
    )
    .action(async (ref: string, { for: reach, ...options }: ApproveFlags) => {
      const decision = DECISIONS.find((name) => options[name]) ?? 'once';
      done(await (await import('./commands/resume.ts')).approve(ref, { ...options, decision, reach }));
    });
}
