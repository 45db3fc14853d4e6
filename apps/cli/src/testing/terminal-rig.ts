/**
 * Runs the command line on a terminal and types keys when a text appears. The terminal is simulated around a command
 * in this process, or is a pseudo-terminal of the operating system around the built program.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { CliRig } from './cli-rig.ts';
import { ENTRY, startCommand, toStream } from './running-command.ts';

/** Each step types its keys once its text has appeared after the text of the step before. */
export type Steps = readonly (readonly [seen: string, keys: string])[];

export interface TerminalOutcome {
  readonly code: number | null;
  /** The screen content as a person would read it. */
  readonly screen: string;
  readonly raw: string;
}

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

const PATIENCE_MS = 50_000;

/** On a simulated terminal, with the command in this process. */
export async function runOnTerminal(rig: CliRig, steps: Steps, ...args: string[]): Promise<TerminalOutcome> {
  const left = [...steps];
  let [raw, seen] = ['', 0];
  let isRaw = false;
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(isWanted: boolean) {
      isRaw = isWanted;
    },
  });
  const type = (keys: string): void => {
    if (isRaw) {
      stdin.write(keys);
      return;
    }
    // Like a terminal driver: keys are echoed, Ctrl-C is a signal, lines are buffered until read.
    raw += keys;
    if (keys === CTRL_C) running.kill('SIGINT');
    else stdin.write(keys.replaceAll('\r', '\n'));
  };
  const show = (text: string): void => {
    raw += text;
    // After the write, because keys never arrive in the middle of it.
    setImmediate(() => {
      for (;;) {
        const [step] = left;
        const at = step ? raw.indexOf(step[0], seen) : -1;
        if (!step || at < 0) return;
        seen = at + step[0].length;
        left.shift();
        type(step[1]);
      }
    });
  };
  const terminal = { isTTY: true, columns: 80, rows: 24 };
  const running = startCommand(
    args,
    { cwd: rig.folder, env: toTerminalEnv(rig) },
    {
      stdin,
      stdout: Object.assign(toStream(show), terminal),
      stderr: Object.assign(toStream(show), terminal),
    },
  );
  const late = new AbortController();
  const outcome = await Promise.race([
    running.ended,
    setTimeout(PATIENCE_MS, undefined, { signal: late.signal }),
  ]);
  late.abort();
  if (!outcome) throw new Error(`It has not ended; waiting for ${JSON.stringify(left[0])} in: ${raw}`);
  return toOutcome(outcome.code, raw);
}

const toTerminalEnv = (rig: CliRig): NodeJS.ProcessEnv => ({
  ...rig.env,
  TERM: 'xterm-256color',
  NO_COLOR: undefined,
});

/** Node has no pseudo-terminals; Python does. */
const TYPIST = `
import json, os, pty, select, sys, time
steps = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
out, seen, end = b'', 0, time.time() + 50
while time.time() < end:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    while steps:
        at = out.find(steps[0][0].encode(), seen)
        if at < 0:
            break
        seen = at + len(steps[0][0].encode())
        keys = steps.pop(0)[1]
        if keys == 'HANG UP':
            end = 0
            os.close(fd)
            break
        os.write(fd, keys.encode())
    if end == 0:
        break
else:
    os.kill(pid, 9)
status = os.waitpid(pid, 0)[1]
sys.stdout.buffer.write(out)
sys.stdout.flush()
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
`;

/** In place of keys: closes the pseudo-terminal. */
export const HANG_UP = 'HANG UP';

export const hasPty = process.platform !== 'win32' && spawnSync('python3', ['-c', 'import pty']).status === 0;

const ESCAPE = '\u001b';
const WIPED = new RegExp(`[^\\n]*\\r${ESCAPE}\\[2K`, 'g');

/** On a pseudo-terminal, with the built program as a child process: for terminal signals and hangup. */
export async function runOnPty(rig: CliRig, steps: Steps, ...args: string[]): Promise<TerminalOutcome> {
  const typist = ['-c', TYPIST, JSON.stringify(steps), process.execPath, ENTRY, ...args];
  const child = spawn('python3', typist, { cwd: rig.folder, env: toTerminalEnv(rig) });
  let raw = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return toOutcome(code, raw);
}

function toOutcome(code: number | null, raw: string): TerminalOutcome {
  // A status line that was drawn and cleared again is not part of the final screen.
  const left = raw.replace(WIPED, '');
  return { code, screen: stripVTControlCharacters(left).replaceAll('\r', ''), raw };
}
