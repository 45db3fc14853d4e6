/**
 * Options and help of `crewagent worker` and `crewagent team`.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  add,
  type Done,
  examples,
  lazily,
  parseAmount,
  parseCount,
  parseLogFormat,
  withExamples,
} from './help-text.ts';

const load = () => import('../commands/team.ts');
const loadReports = () => import('../commands/team-reports.ts');
const DATABASE = [
  '--database-url <url>',
  'the PostgreSQL database of the team (default: $CREWAGENT_DATABASE_URL)',
] as const;

const MAX_LABELS = 8;

export function defineTeamCommands(program: Command, done: Done): void {
  add(program, 'worker', 'execute the runs of a team until it is stopped')
    .option(...DATABASE)
    .option('--slots <n>', 'how many runs at once', parseSlots)
    .option('--labels <list>', 'labels of this worker, such as gpu,eu', parseLabels)
    .option('--log <format>', 'how it reports: text, or json for a log collector', parseLogFormat)
    .addHelpText(...withExamples('crewagent worker --database-url postgres://crew@db/crew --slots 16'))
    .action(lazily(load, 'runWorker', done));
  const team = add(program, 'team', 'set up a team: one address, one database, many workers').addHelpText(
    ...withExamples(
      'crewagent team dev',
      'crewagent team init --database-url postgres://crew@db/crew --email ada@example.com --files deploy',
      'crewagent serve --database-url postgres://crew@db/crew --public-url https://crew.example.com',
    ),
  );
  add(team, 'init', 'create or update the tables, and the first administrator')
    .option(...DATABASE)
    .option('--email <address>', 'the first administrator, who gets a link to sign in')
    .option('--name <name>', 'the name of the administrator')
    .option('--public-url <url>', 'the address of the server for people')
    .option('--files <dir>', 'write a compose file and Kubernetes manifests to this folder')
    .action(lazily(load, 'initTeam', done));
  add(team, 'status', 'show the workers, and what waits for them')
    .option(...DATABASE)
    .action(lazily(loadReports, 'showStatus', done));
  defineCosts(team, done);
  add(team, 'rotate-keys', 'encrypt all secrets with the first key of $CREWAGENT_SECRET_KEY')
    .option(...DATABASE)
    .addHelpText(...withExamples('CREWAGENT_SECRET_KEY=NEW,OLD crewagent team rotate-keys'))
    .action(lazily(load, 'rotateKeys', done));
  add(team, 'dev', 'try it on this machine: a database of its own, a server and a worker')
    .option('--port <n>', 'the port to listen on (default: a free one)', parseSlots)
    .option('--slots <n>', 'how many runs at once', parseSlots)
    .action(lazily(load, 'devTeam', done));
}

function defineCosts(team: Command, done: Done): void {
  add(team, 'costs', 'show what the models cost')
    .option(...DATABASE)
    .addOption(
      new Option('--by <kind>', 'one row for each')
        .choices(['person', 'project', 'model', 'day'])
        .default('person'),
    )
    .option('--since <date>', 'from this day on, such as 2026-01-31 (default: 30 days)', parseDay)
    .option('--json', 'print the result as JSON')
    .addHelpText(...withExamples('crewagent team costs --by project --since 2026-01-31'))
    .action(lazily(loadReports, 'showCosts', done));
  add(team, 'quota', 'show or set what people and projects may spend')
    .option(...DATABASE)
    .option('--person <email>', 'of this person')
    .option('--project <name>', 'of this project, by name or id')
    .option('--default', 'of each person who has none')
    .option('--tokens <n>', 'limit of tokens', parseCount)
    .option('--cost <usd>', 'limit of cost in US dollars', parseAmount)
    .addOption(new Option('--per <period>', 'a period of UTC').choices(['day', 'month']).default('month'))
    .option('--remove', 'remove the limits')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
A run whose next turn would begin above a quota waits. It continues by itself when the quota is raised, or when the
next period begins. Without a person, a project or --default, all quotas are listed.
${examples('crewagent team quota', 'crewagent team quota --default --cost 50', 'crewagent team quota --person ada@example.com --tokens 2000000 --per day', 'crewagent team quota --project Plans --remove')}`,
    )
    .action(lazily(loadReports, 'changeQuota', done));
}

function parseDay(text: string): Date {
  const day = new Date(`${text}T00:00:00`);
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day.getTime())) return day;
  throw new InvalidArgumentError('Give a day such as 2026-01-31.');
}

const loadTransfer = () => import('../commands/transfer.ts');
const RUN = { '<run>': 'its id, the beginning or end of it, or "last"' };

/** `crewagent push` and `crewagent pull`. */
export function defineTransferCommands(program: Command, done: Done): void {
  add(program, 'push', 'move a run to a team server, where it goes on', RUN)
    .requiredOption('--to <url>', 'the address of the team server')
    .option('--project <name>', 'the project there, by name or id (default: the one with the same name)')
    .option('--all-files', 'also send files of the project that the run did not change')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Sends the run with its log, its state, its package if you may install one there, and the files that it changed; only
what the server lacks. Interrupted, it continues where it was. What was allowed for the whole run is asked again
there. Pushed again, the copy there goes on, unless it went on by itself.
The API token is read from CREWAGENT_TOKEN, or asked for.
Exit codes: 0 done, also if nothing was new, 2 refused, not reached or bad usage, 130 interrupted.
${examples('crewagent push last --to https://crew.example.com', 'crewagent push last --to https://crew.example.com --project Plans --all-files')}`,
    )
    .action(lazily(loadTransfer, 'push', done));
  add(program, 'pull', 'get a run back from a team server, or a copy of one', RUN)
    .requiredOption('--from <url>', 'the address of the team server')
    .option('-p, --project <dir>', 'the project folder of a run that is not here yet (default: this folder)')
    .option('--all-files', 'also get files of the project that the run did not change')
    .option('--keep-files', 'files that were changed here stay as they are')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
The log is verified before anything changes here. Files that you changed since are not replaced: nothing is pulled
then, unless they are kept.
The API token is read from CREWAGENT_TOKEN, or asked for.
Exit codes: 0 done, also if nothing was new, 2 refused, not reached or bad usage, 130 interrupted.
${examples('crewagent pull last --from https://crew.example.com')}`,
    )
    .action(lazily(loadTransfer, 'pull', done));
}

function parseSlots(text: string): number {
  const slots = Number(text);
  if (/^\d{1,5}$/.test(text) && slots >= 1 && slots <= 65_535) return slots;
  throw new InvalidArgumentError('Give a whole number above 0.');
}

function parseLabels(text: string): readonly string[] {
  const labels = text.split(',').map((label) => label.trim());
  if (labels.length <= MAX_LABELS && labels.every((label) => /^[\w.-]{1,40}$/.test(label))) return labels;
  throw new InvalidArgumentError(
    `Give at most ${MAX_LABELS} names of letters and digits, separated by commas.`,
  );
}
