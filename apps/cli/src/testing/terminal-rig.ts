/**
 * The command line on a terminal: a pseudo-terminal, and somebody who types when a text appears.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { type CliRig, ENTRY } from './cli-rig.ts';

/** Plain Node has no pseudo-terminal; Python has. */
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
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 99)
`;

/** Typed instead of keys: the terminal is closed. */
export const HANG_UP = 'HANG UP';

export const hasTerminal =
  process.platform !== 'win32' && spawnSync('python3', ['-c', 'import pty']).status === 0;

const ESCAPE = '\u001b';
const WIPED = new RegExp(`[^\\n]*\\r${ESCAPE}\\[2K`, 'g');

/** What appeared, as a person would read it, and the exit code. Each step types its keys once its text has appeared. */
export async function runOnTerminal(
  rig: CliRig,
  steps: readonly (readonly [seen: string, keys: string])[],
  ...args: string[]
): Promise<{ readonly code: number | null; readonly screen: string; readonly raw: string }> {
  const typist = ['-c', TYPIST, JSON.stringify(steps), process.execPath, ENTRY, ...args];
  const child = spawn('python3', typist, {
    cwd: rig.folder,
    env: { ...rig.env, TERM: 'xterm-256color', NO_COLOR: undefined },
  });
  let raw = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  // A line that was drawn and wiped again, as by a slow model, is not what is left to be read.
  const left = raw.replace(WIPED, '');
  return { code, screen: stripVTControlCharacters(left).replaceAll('\r', ''), raw };
}
