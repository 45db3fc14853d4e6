import { existsSync, readdirSync } from 'node:fs';
import { chmod, lstat, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { describe, expect, it, vi } from 'vitest';
import { toAddress } from '../store/work-address.ts';
import { textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { hasSandbox } from '../testing/require-sandbox.ts';
import { createShellRig, type ShellRig } from '../testing/rigs/mcp-rig.ts';
import { readTree } from '../testing/temp-folder.ts';
import { readInViews } from '../testing/views.ts';

const run = (command: string, more: object = {}) =>
  toolCallReply([{ name: 'shell_run', arguments: { command, ...more } }]);

interface Answer {
  readonly ok: boolean;
  readonly output?: string;
  readonly changed?: readonly object[];
  readonly moreChanged?: number;
  readonly notes?: readonly string[];
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details?: { readonly notes?: readonly string[] };
  };
}

const answersOf = (events: readonly RunEvent[]): Answer[] =>
  events
    .filter((event): event is EventOf<'tool.ended'> => event.type === 'tool.ended')
    .map(({ content }) => JSON.parse(content) as Answer);

const requestsIn = (events: readonly RunEvent[]): EventOf<'approval.requested'>[] =>
  events.filter((event) => event.type === 'approval.requested');

const viewsIn = (root: string): string[] =>
  readdirSync(join(root, 'store'), { recursive: true })
    .map(String)
    .filter((path) => /\/views\/commands\/[^/]+$/.test(path));

async function undoAll(
  rig: ShellRig,
  session: { record: Parameters<typeof toAddress>[0]; close(): Promise<void> },
) {
  await session.close();
  const changes = await rig.runtime.openChanges(toAddress(session.record));
  const results = await changes.undo({ all: true });
  const redone = async () => changes.redo({ all: true });
  return { results, redone, close: () => changes.close() };
}

describe.skipIf(!hasSandbox)('what a command changes', () => {
  it('[T120] reaches the project when the command has ended, and only then', async () => {
    const rig = await createShellRig([
      run('echo 1 > a; echo 2 > b; sleep 60', { timeoutSeconds: 2 }),
      textReply('.'),
    ]);
    const { session, events } = await rig.chat('autopilot');
    const going = session.input('go');
    await expect.poll(() => readInViews(rig.root, 'b')).toBe('2\n');
    expect(existsSync(join(rig.project, 'a'))).toBe(false);
    await going;
    expect(answersOf(events)).toMatchObject([{ error: { code: 'TOOL_TIMEOUT' } }]);
    expect(await readFile(join(rig.project, 'a'), 'utf8')).toBe('1\n');
    expect(viewsIn(rig.root)).toEqual([]);
  });

  it('[T79] is undone and redone whole: contents, permissions, links, folders, deletions, other kinds', async () => {
    const rig = await createShellRig(
      [
        run(
          'echo new >> text; chmod 600 text; rm gone; mkdir -p made/empty; echo x > made/file; ln -s file made/link; chmod 640 mode; rm -r folder; echo file > folder; rm file; mkdir file; echo y > file/inner; rm old; touch same',
        ),
        textReply('.'),
      ],
      { tree: { text: 'old\n', gone: 'was here', mode: 'm', 'folder/a/b': 'deep', file: 'f', same: 's' } },
    );
    await chmod(join(rig.project, 'text'), 0o644);
    await chmod(join(rig.project, 'mode'), 0o644);
    await symlink('text', join(rig.project, 'old'));
    const before = await readTree(rig.project);
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    expect(requestsIn(events)).toEqual([]);
    expect(answersOf(events)[0]?.notes).toBeUndefined();
    const after = await readTree(rig.project);
    expect(after).toMatchObject({
      text: 'old\nnew\n',
      'made/empty/': '',
      folder: 'file\n',
      'file/inner': 'y\n',
    });
    expect(await readlink(join(rig.project, 'made/link'))).toBe('file');
    expect((await lstat(join(rig.project, 'mode'))).mode & 0o777).toBe(0o640);
    const { redone, close } = await undoAll(rig, session);
    expect(await readTree(rig.project)).toEqual(before);
    expect((await lstat(join(rig.project, 'text'))).mode & 0o777).toBe(0o644);
    expect((await lstat(join(rig.project, 'mode'))).mode & 0o777).toBe(0o644);
    expect(await readlink(join(rig.project, 'old'))).toBe('text');
    await redone();
    expect(await readTree(rig.project)).toEqual(after);
    await close();
  });

  it('[T79] is complete at any size, and undone', async () => {
    const rig = await createShellRig([
      run(
        'mkdir many; i=0; while [ $i -lt 300 ]; do echo $i > many/$i; i=$((i+1)); done; head -c 40000000 /dev/zero > big',
      ),
      textReply('.'),
    ]);
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    const [answer] = answersOf(events);
    expect(answer).toMatchObject({
      ok: true,
      moreChanged: 201,
      notes: ['Changed, and too large to be undone: big.'],
    });
    expect(readdirSync(join(rig.project, 'many'))).toHaveLength(300);
    expect((await lstat(join(rig.project, 'big'))).size).toBe(40_000_000);
    const { close } = await undoAll(rig, session);
    await close();
    expect(existsSync(join(rig.project, 'many'))).toBe(false);
  });

  it('[T124] is asked for where it runs later, as one action; the rest is committed', async () => {
    const rig = await createShellRig(
      [
        run(
          'echo {} > package.json; chmod +x tool; echo ok > other; mkdir -p .github/workflows; echo x > .github/workflows/a.yml',
        ),
        textReply('.'),
      ],
      { tree: { 'package.json': '{"name":"a"}\n', tool: 'x' } },
    );
    const { session, events } = await rig.chat('autopilot');
    expect(await session.input('go')).toMatchObject({ phase: 'WaitingUser', reason: { code: 'approval' } });
    expect(requestsIn(events)).toMatchObject([
      {
        tool: 'shell.run',
        action: {
          title: 'shell.run wants to keep its changes of 3 protected files and folders',
          isOnceOnly: true,
          files: [
            { path: '@project/.github/workflows/a.yml', before: { kind: 'absent' }, runsLater: 'ci' },
            {
              path: '@project/package.json',
              before: { kind: 'file' },
              after: { kind: 'file' },
              runsLater: 'scripts',
            },
            {
              path: '@project/tool',
              before: { mode: 0o644 },
              after: { mode: 0o755 },
              runsLater: 'executable',
            },
          ],
        },
      },
    ]);
    const text = requestsIn(events)[0]?.action?.preview.text ?? '';
    expect(text).toContain('-{"name":"a"}\n+{}');
    expect(text).toContain('new mode 100755');
    expect(await readFile(join(rig.project, 'other'), 'utf8')).toBe('ok\n');
    expect(await readFile(join(rig.project, 'package.json'), 'utf8')).toBe('{"name":"a"}\n');
    await session.approve({ decision: 'once' });
    expect(answersOf(events)).toMatchObject([{ ok: true, exitCode: 0, changed: { length: 4 } }]);
    expect(await readFile(join(rig.project, 'package.json'), 'utf8')).toBe('{}\n');
    expect((await lstat(join(rig.project, 'tool'))).mode & 0o777).toBe(0o755);
    expect(viewsIn(rig.root)).toEqual([]);
    const { close } = await undoAll(rig, session);
    await close();
    expect(await readTree(rig.project)).toMatchObject({ 'package.json': '{"name":"a"}\n' });
    expect(existsSync(join(rig.project, '.github'))).toBe(false);
  });

  it('[T124] is dropped where it is denied, and the result says so with the output of the command', async () => {
    const rig = await createShellRig([
      run('echo said; echo {} > package.json; echo ok > other'),
      textReply('.'),
    ]);
    const { session, events } = await rig.chat('ask');
    await session.input('go');
    await session.approve({ decision: 'once' });
    expect(requestsIn(events)).toHaveLength(2);
    await session.approve({ decision: 'no', note: 'Not now.' });
    expect(answersOf(events)).toMatchObject([
      {
        ok: true,
        output: 'said\n',
        changed: [{ path: '@project/other' }],
        notes: [
          expect.stringMatching(/^Not kept: package\.json/) as string,
          expect.stringContaining('Not now.') as string,
        ],
      },
    ]);
    expect(existsSync(join(rig.project, 'package.json'))).toBe(false);
    expect(viewsIn(rig.root)).toEqual([]);
  });

  it('[T124] is asked for again if the file changed since the question', async () => {
    const rig = await createShellRig([run('echo 1 >> package.json'), textReply('.')], {
      tree: { 'package.json': '{}\n' },
    });
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    await writeFile(join(rig.project, 'package.json'), '{"by":"person"}\n');
    await session.approve({ decision: 'once' });
    expect(requestsIn(events)).toHaveLength(2);
    expect(requestsIn(events)[1]?.action?.preview.text).toContain('-{"by":"person"}');
    expect(await readFile(join(rig.project, 'package.json'), 'utf8')).toBe('{"by":"person"}\n');
  });

  it('[T124] waits in the Work across processes; the command is not run again', async () => {
    const rig = await createShellRig([run('date +%N > stamp; cat stamp; cp stamp Makefile'), textReply('.')]);
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    expect(requestsIn(events)).toHaveLength(1);
    const stamp = await readFile(join(rig.project, 'stamp'), 'utf8');
    await session.close();
    const again = await rig.runtime.openConversation('last');
    const later: RunEvent[] = [];
    again.subscribe((event) => later.push(event));
    await again.approve({ decision: 'once' });
    await again.close();
    expect(answersOf(later)).toMatchObject([{ ok: true, output: stamp }]);
    expect(await readFile(join(rig.project, 'Makefile'), 'utf8')).toBe(stamp);
    expect(viewsIn(rig.root)).toEqual([]);
  });

  it('[T124] to installed packages is one question that names packages and programs', async () => {
    const rig = await createShellRig(
      [
        run(
          'mkdir -p node_modules/.bin node_modules/pad/lib; echo "{}" > node_modules/pad/package.json; for i in 1 2 3; do echo x > node_modules/pad/lib/$i.js; done; ln -s ../pad/lib/1.js node_modules/.bin/pad; mkdir -p node_modules/.cache; echo c > node_modules/.cache/x; echo 2 > node_modules/old/index.js',
        ),
        textReply('.'),
      ],
      { tree: { 'node_modules/old/package.json': '{}', 'node_modules/old/index.js': '1' } },
    );
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    expect(requestsIn(events)).toMatchObject([
      { action: { title: 'shell.run wants to keep its change of @project/node_modules' } },
    ]);
    const text = requestsIn(events)[0]?.action?.preview.text ?? '';
    expect(text).toContain('+added pad\n');
    expect(text).toContain('+changed old\n');
    expect(text).toContain('+program added node_modules/.bin/pad\n');
    expect(text).not.toContain('lib/2.js');
    await session.approve({ decision: 'once' });
    expect(await readlink(join(rig.project, 'node_modules/.bin/pad'))).toBe('../pad/lib/1.js');
    expect(existsSync(join(rig.project, 'node_modules/.cache'))).toBe(false);
  });

  it('[T79] is not kept where somebody else changed the file meanwhile', async () => {
    const rig = await createShellRig(
      [
        run('echo mine > a; echo mine > b; echo late > c; echo ready > ready; sleep 60', {
          timeoutSeconds: 4,
        }),
        textReply('.'),
      ],
      { tree: { a: 'old\n', b: 'old\n' } },
    );
    const { session, events } = await rig.chat('autopilot');
    const going = session.input('go');
    await expect.poll(() => readInViews(rig.root, 'ready')).toBe('ready\n');
    await writeFile(join(rig.project, 'a'), 'theirs\n');
    await writeFile(join(rig.project, 'c'), 'theirs\n');
    await going;
    expect(answersOf(events)[0]?.error?.details?.notes).toEqual([
      expect.stringMatching(/somebody else changed them.*: a, c\.$/) as string,
    ]);
    expect(await readFile(join(rig.project, 'a'), 'utf8')).toBe('theirs\n');
    expect(await readFile(join(rig.project, 'c'), 'utf8')).toBe('theirs\n');
    expect(await readFile(join(rig.project, 'b'), 'utf8')).toBe('mine\n');
  });

  it('[T121] a command is not run if the secret files cannot be listed', async () => {
    const rig = await createShellRig([run('echo x > made'), textReply('.')]);
    await mkdir(join(rig.project, Buffer.from([0x66, 0xff]).toString('latin1')), { recursive: true });
    const odd = Buffer.concat([Buffer.from(`${rig.project}/`), Buffer.from([0xff]), Buffer.from('.pem')]);
    await writeFile(odd, 'key');
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    expect(answersOf(events)).toMatchObject([
      {
        ok: false,
        error: {
          code: 'COMMAND_FAILED',
          message: expect.stringMatching(/was not run.*not valid UTF-8/) as string,
        },
      },
    ]);
    expect(existsSync(join(rig.project, 'made'))).toBe(false);
  });

  it('[T79] of a stopped command is not kept', async () => {
    const rig = await createShellRig([run('echo x > made; sleep 60'), textReply('.')]);
    const { session } = await rig.chat('autopilot');
    const going = session.input('go');
    await expect.poll(() => readInViews(rig.root, 'made')).toBe('x\n');
    await session.stop();
    await going;
    await session.close();
    expect(existsSync(join(rig.project, 'made'))).toBe(false);
    expect(viewsIn(rig.root)).toEqual([]);
  });

  it('[T120] the project is at /project and the home folder at /home/user, also in what programs print', async () => {
    const rig = await createShellRig([
      run(`echo ${'$'}HOME ${'$'}USER; pwd; whoami; cat note`),
      textReply('.'),
    ]);
    await writeFile(join(rig.project, 'note'), `${rig.project}/src/a.c:1: error\n`);
    vi.stubEnv('HOME', join(rig.root, 'home'));
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    vi.unstubAllEnvs();
    expect(answersOf(events)[0]?.output).toBe('/home/user user\n/project\nuser\n/project/src/a.c:1: error\n');
  });

  it('[T79] special files, odd names and permissions of folders are not kept, and named', async () => {
    const script =
      'mkfifo pipe; chmod 700 folder; touch "$(printf \'a\\033b\')"; truncate -s 1100M large; echo ok > fine';
    const rig = await createShellRig([run(script), textReply('.')], { tree: { 'folder/x': 'x' } });
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    const [answer] = answersOf(events);
    expect(answer?.changed).toEqual([{ path: '@project/fine', kind: 'created' }]);
    expect(answer?.notes).toEqual([
      expect.stringMatching(/neither files.*: pipe\.$/) as string,
      expect.stringMatching(/invisible characters/) as string,
      expect.stringMatching(/1 GiB: large\.$/) as string,
      expect.stringMatching(/Permissions of folders.*: folder\.$/) as string,
    ]);
    expect((await lstat(join(rig.project, 'folder'))).mode & 0o777).toBe(0o755);
  });
});
