/** The built program as the local server, in its own process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const ENTRY = fileURLToPath(new URL('../../../../apps/cli/dist/crewagent.js', import.meta.url));

export interface LocalServer {
  readonly origin: string;
  readonly token: string;
  readonly child: ChildProcess;
}

export function startLocalServer(env: NodeJS.ProcessEnv, entry = ENTRY): Promise<LocalServer> {
  const child = spawn(process.execPath, [entry, 'serve', '--no-open'], { env });
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      const [, origin, token] = /(http:\/\/[\d.:]+)\/#token=(\S+)/.exec(out) ?? [];
      if (origin !== undefined && token !== undefined) resolve({ origin, token, child });
    });
    child.once('exit', () => reject(new Error(`the server did not start: ${out}`)));
  });
}

export function headersOf({ origin, token }: LocalServer): { authorization: string; origin: string } {
  return { authorization: `Bearer ${token}`, origin };
}
