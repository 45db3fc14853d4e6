/**
 * `npm run -s crewagent -- ARGS`: runs the command line of this checkout, built if necessary.
 */
import { spawn } from 'node:child_process';
import { build, cliEntry } from './build.mjs';
import { setUp } from './set-up.mjs';

setUp();
await build();
// npm runs scripts in the root of the checkout; paths are relative to the caller's working directory.
const cwd = process.env.INIT_CWD ?? process.cwd();
const child = spawn(process.execPath, [cliEntry, ...process.argv.slice(2)], { cwd, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  process.exitCode = signal ? 130 : (code ?? 1);
});
