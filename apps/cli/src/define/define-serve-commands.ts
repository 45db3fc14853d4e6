/**
 * Options and help of `crewagent serve` and `crewagent licenses`.
 */
import { type Command, InvalidArgumentError } from 'commander';
import { add, type Done, lazily, parseLogFormat, withExamples } from './help-text.ts';

export function defineServeCommands(program: Command, done: Done): void {
  add(program, 'serve', 'start the local server, or open the one already running')
    .option('--port <n>', 'the port to listen on (default: the last one, else a free one)', parsePort)
    .option('--host <address>', 'the address to listen on (default: this machine only)')
    .option('--token-file <file>', 'store the token in this file; required with another --host')
    .option('--new-token', 'sign out every page that was opened before')
    .option('--app', 'open an app window with an installed Chromium, Chrome or Edge')
    .option('--no-open', 'do not open a browser')
    .option('--team', 'serve a team from the database of $CREWAGENT_DATABASE_URL; see "crewagent team"')
    .option('--database-url <url>', 'serve a team from this PostgreSQL database')
    .option('--public-url <url>', 'with a team: the address for people, such as https://crew.example.com')
    .option('--proxies <n>', 'with a team: how many proxies of yours are in front of it', parseCount)
    .option(
      '--log <format>',
      'with a team: how it reports: text, or json for a log collector',
      parseLogFormat,
    )
    .option('--sample <dir>', 'if there are no runs yet, rehearse the bundled example in this folder')
    .addHelpText(
      ...withExamples('crewagent serve', 'crewagent serve --app', 'crewagent serve --port 4000 --no-open'),
    )
    .action(lazily(() => import('../commands/serve.ts'), 'serve', done));

  add(program, 'licenses', 'list what the program contains of others, or print a license', {
    '[name]': 'the package whose license to print',
  })
    .option('--json', 'print names, licenses and texts as JSON')
    .addHelpText(...withExamples('crewagent licenses', 'crewagent licenses zod'))
    .action(lazily(() => import('../commands/licenses.ts'), 'licenses', done));
}

function parseCount(text: string): number {
  if (/^\d$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a number from 0 to 9.');
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Give a number from 0 to 65535.');
}
