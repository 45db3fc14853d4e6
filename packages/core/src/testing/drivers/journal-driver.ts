/**
 * A process that changes files through a journal: forever, with undo and redo in between (`write`), or one file until the
 * journal fails, and prints why.
 */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../base/errno.ts';
import { createMountedFs } from '../../mounts/mounted-fs.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import { openJournal } from '../../store/work-files/journal.ts';

const [root = '', job = ''] = process.argv.slice(2);
const files = createMountedFs(
  { project: join(root, 'project'), pkg: root, state: root },
  createSecretCheck(),
);
const journal = await openJournal({
  folder: join(root, 'journal'),
  files,
  clock: () => new Date(),
  warn: (text) => process.stdout.write(`${text}\n`),
});

if (job === 'write') await changeForever();
else await changeUntilFailure();

async function changeForever(): Promise<never> {
  for (;;) {
    const callId = `call ${random(5)}`;
    const task = random(10);
    if (task < 5) await change(pick(['a.md', 'b.md', 'deep/er/c.md']), signedContent(), callId);
    else if (task === 5) await change('b.md', undefined, callId);
    else if (task < 8) await journal.undo(pick([{ callId }, { all: true }]));
    else await journal.redo(pick([{ callId }, { all: true }]));
  }
}

async function changeUntilFailure(): Promise<void> {
  const blobs = join(root, 'journal', 'blobs');
  if (job === 'locked') {
    mkdirSync(blobs, { recursive: true });
    chmodSync(blobs, 0o500);
  }
  let made = 0;
  try {
    for (; ; made++) await change('a.md', Buffer.from(`content ${made}`), 'call');
  } catch (error) {
    if (job === 'locked') chmodSync(blobs, 0o700);
    process.stdout.write(`${JSON.stringify({ made, errno: errnoOf(error) })}\n`);
  }
}

async function change(path: string, after: Buffer | undefined, callId: string): Promise<void> {
  const target = { mount: '@project', segments: path.split('/') } as const;
  const before = readIfPresent(join(root, 'project', path));
  if (!before && !after) return;
  const recording = await journal.begin({ callId, path: `@project/${path}`, before, mode: 0o644, after });
  if (after) await files.replace(target, after, { tempName: recording.tempName });
  else await files.remove(target);
  await recording.done();
}

function readIfPresent(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Starts with the hash of the body, so that a torn write is detected. */
function signedContent(): Buffer {
  const body = Buffer.alloc(random(100_000), `content ${Math.random()}`);
  return Buffer.concat([Buffer.from(createHash('sha256').update(body).digest('hex')), body]);
}

function random(below: number): number {
  return Math.floor(Math.random() * below);
}

function pick<T>(list: readonly T[]): T {
  return list[random(list.length)] as T;
}
