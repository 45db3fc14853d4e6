/** `crewagent serve`: the local server, until somebody ends it. */
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createStoreLayout, defaultStoreRoot, writeServerDoor } from '@crewagent/core';
import { startServer } from '@crewagent/server';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openBrowser } from '../open-browser.ts';
import { watchSignals } from '../signals.ts';
import { foreign, print, printError, style, styleError } from '../terminal.ts';

export interface ServeCommandOptions {
  readonly port?: number;
  readonly host?: string;
  readonly tokenFile?: string;
  readonly open: boolean;
}

export async function serve(options: ServeCommandOptions): Promise<ExitCode> {
  const storeRoot = defaultStoreRoot();
  const signals = watchSignals(() => printError('Stopping; runs can be resumed. Once more to end at once.'));
  try {
    const server = await startServer({
      storeRoot,
      env: process.env,
      host: options.host,
      port: options.port,
      tokenFile: options.tokenFile,
      webRoot: join(dirname(realpathSync(process.argv[1] ?? '.')), 'web'),
      onWarning: (message) => printError(`! ${foreign(message)}`),
      onBug: (id, error) => printError(`${styleError('red', `Internal error ${id}:`)} ${describe(error)}`),
    });
    print(
      `${server.isOurs ? 'CrewAgent runs at' : 'CrewAgent runs already at'} ${style('bold', server.url)}`,
    );
    print(style('dim', `  with its token: ${server.url}/#token=${server.token}`));
    if (server.interrupted > 0) print(`  ${server.interrupted} interrupted: crewagent runs`);
    if (options.open && !signals.signal.aborted) {
      const door = await writeServerDoor(createStoreLayout(storeRoot), server);
      if (!openBrowser(door)) print('  Open the address in a browser.');
    }
    if (!server.isOurs) return EXIT.ok;
    if (!signals.signal.aborted) await once(signals.signal, 'abort');
    await server.stop();
    return EXIT.ok;
  } finally {
    signals.end();
  }
}

/** What happened in the server is for whoever reports it; a path or two is no harm on one's own terminal. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return process.env.CREWAGENT_DEBUG ? (error.stack ?? error.message) : error.message;
}
