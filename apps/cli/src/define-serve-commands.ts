/**
 * The command that starts the local server: its options and help.
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { ServeCommandOptions } from './commands/serve.ts';
import { type Done, examples } from './help-text.ts';

export function defineServeCommands(program: Command, done: Done): void {
  program
    .command('serve')
    .description('start the local server, or open the one that runs')
    .option('--port <n>', 'the port to listen on (default: a free one)', parsePort)
    .option('--host <address>', 'the address to listen on (default: this machine only)')
    .option('--token-file <file>', 'keep the token in this file; needed with another --host')
    .option('--app', 'open a window of its own, drawn by an installed Chromium, Chrome or Edge')
    .option('--no-open', 'do not open a browser')
    .option('--sample <dir>', 'if nothing was ever run, rehearse the bundled example in this folder')
    .addHelpText(
      'after',
      examples('crewagent serve', 'crewagent serve --app', 'crewagent serve --port 4000 --no-open'),
    )
    .action(async (options: ServeCommandOptions) => {
      done(await (await import('./commands/serve.ts')).serve(options));
    });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Give a number from 0 to 65535.');
}
