/**
 * A network of its own for a process, connected with this machine by a virtual cable that can be pulled. Needs root and `ip`; only the
 * given ports of this machine can be reached.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

export const HAS_NAMESPACES = process.getuid?.() === 0 && canCreate();

function canCreate(): boolean {
  const name = `crew-try-${process.pid}`;
  try {
    ip('netns', 'add', name);
    ip('netns', 'del', name);
    return true;
  } catch {
    return false;
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: 'ignore' });
}

export async function createNamespace(ports: readonly number[]) {
  const number = process.pid % 250;
  const [name, outer, inner] = [`crew-${process.pid}`, `crew-o${number}`, `crew-i${number}`];
  const [host, guest] = [`10.231.${number}.1`, `10.231.${number}.2`];
  ip('netns', 'add', name);
  onTestFinished(() => ip('netns', 'del', name));
  ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner);
  onTestFinished(() => ip('link', 'del', outer));
  ip('link', 'set', inner, 'netns', name);
  ip('addr', 'add', `${host}/30`, 'dev', outer);
  ip('-n', name, 'addr', 'add', `${guest}/30`, 'dev', inner);
  for (const device of [inner, 'lo']) ip('-n', name, 'link', 'set', device, 'up');
  const plug = (): void => ip('link', 'set', outer, 'up');
  plug();
  for (const port of ports) await forward(host, port);
  return {
    /** Its name for this machine, and for itself. */
    host,
    /** Starts a program in it. */
    prefix: ['ip', 'netns', 'exec', name],
    plug,
    pull: (): void => ip('link', 'set', outer, 'down'),
  };
}

async function forward(host: string, port: number): Promise<void> {
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1');
    from.pipe(to).pipe(from);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    onTestFinished(() => void from.destroy());
  }).listen(port, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
}
