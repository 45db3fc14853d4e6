import { readdir, readFile, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ProviderScript,
  startFakeProvider,
} from '../../../packages/core/src/testing/models/fake-provider.ts';
import {
  stallAfter,
  statusReply,
  textReply,
  toolCallReply,
} from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { attach, type CliRig, createCliRig } from './testing/cli-rig.ts';
import { ROOT } from './testing/running-command.ts';
import { CTRL_C, CTRL_D, HANG_UP, hasPty, runOnPty, runOnTerminal } from './testing/terminal-rig.ts';

const startProvider = async (script: ProviderScript) => attach(await startFakeProvider(script));
const writeSample = (rig: CliRig): Promise<string> => rig.write('sample', samplePackage());

const hello = join(ROOT, 'examples/hello-branch');

const ask = (questions: unknown[]) =>
  toolCallReply([{ id: 'q1', name: 'ui_ask_user', arguments: { questions } }]);

describe('on a terminal', () => {
  it('an error is wrapped between words', async () => {
    const { screen } = await runOnTerminal(await createCliRig(), [], 'show', 'zzzz');
    expect(screen).toMatch(/^Error: No run matches "zzzz"; .*\n {7}\S/m);
    for (const line of screen.split(/\r?\n/)) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.skipIf(!hasPty)('[C15] asks the questions one by one and completes the run', async () => {
    const rig = await createCliRig();
    const { code, screen } = await runOnPty(
      rig,
      [
        ['project called?', 'Nova\r'],
        ['for whom?', 'two\rlines\r'],
        ['start fresh.', 'nothing\r'],
      ],
      ...['run', hello, '-p', 'project', '--rehearsal'],
    );
    expect(screen).toMatch(/✔ "Hello, branch" completed\./);
    expect(code).toBe(0);
    const intake = await readFile(join(rig.project, 'artifacts/hello-branch/intake.md'), 'utf8');
    expect(intake).toContain('Nova');
    expect(intake).toMatch(/> two\n> lines/);
  });

  it.skipIf(!hasPty)(
    '[C15] options are chosen with the arrow keys, and Escape leaves the run waiting',
    async () => {
      const rig = await createCliRig();
      const question = { id: 'size', prompt: 'Size?', type: 'choice', options: ['small', 'large'] };
      const provider = await startProvider([ask([question]), textReply('Thank you.')]);
      const args = ['run', await writeSample(rig), '-p', 'project', ...provider.options];
      const left = await runOnPty(rig, [['Enter, or type', '\u001b']], ...args);
      expect(left.code).toBe(3);
      expect(provider.requests).toHaveLength(1);
      await runOnPty(
        rig,
        [
          ['Enter, or type', '\u001b[B'],
          ['› 2. large', '\r'],
          ['Thank you.', ''],
          ['›', CTRL_D],
        ],
        ...['resume', 'last'],
      );
      expect(JSON.stringify(provider.requests[1]?.body.messages.at(-1))).toContain('large');
    },
  );

  it('[L7] /stop at a question stops the run without an answer and without a turn', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([
      ask([{ id: 'size', prompt: 'Size?', type: 'choice', options: ['small', 'large'] }]),
      textReply('Thank you.'),
    ]);
    const args = ['run', await writeSample(rig), '-p', 'project', ...provider.options];
    const { code, screen } = await runOnTerminal(rig, [['Enter, or type', '/stop\r']], ...args);
    expect([code, provider.requests.length]).toEqual([130, 1]);
    expect(screen).toContain('The run was stopped; it can be resumed');
  });

  it('[C15] asks again after an invalid answer', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([
      ask([
        { id: 'size', prompt: 'Size?', type: 'choice', options: ['small', 'large'] },
        { id: 'parts', prompt: 'Parts?', type: 'multi', options: ['a', 'b', 'c'] },
        { id: 'sure', prompt: 'Sure?', type: 'confirm' },
        { id: 'more', prompt: 'More?', type: 'form', schema: { type: 'object' } },
      ]),
      textReply('Thank you.'),
    ]);
    const { code, screen } = await runOnTerminal(
      rig,
      [
        ['2. large', '9\r'],
        ['must be', '2\r'],
        ['3. c', '1, c\r'],
        ['Sure?', '7\r'],
        ['must be yes or no', 'y\r'],
        ['More?', '{"a":1}\r'],
        ['Thank you.', ''],
        ['›', CTRL_D],
      ],
      ...['run', await writeSample(rig), '-p', 'project', ...provider.options],
    );
    expect(code).toBe(3);
    expect(screen).toContain('The answer to "size" must be "small" or "large", or in your own words.');
    const sent = JSON.stringify(provider.requests[1]?.body.messages.at(-1));
    const answers = { size: 'large', parts: ['a', 'c'], sure: true, more: { a: 1 } };
    expect(sent).toContain(JSON.stringify(JSON.stringify(answers)).slice(1, -1));
  });

  it('[C15] accepts a line as reply, and leaves the run waiting on Ctrl-D or Ctrl-C', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([textReply('Which one?'), textReply('And then?')]);
    const { code, screen } = await runOnTerminal(
      rig,
      [
        ['Which one?', '\r'],
        ['Ctrl-D to leave', 'The second\r'],
        ['And then?', ''],
        ['›', CTRL_D],
      ],
      ...['run', await writeSample(rig), '-p', 'project', ...provider.options],
    );
    expect(code).toBe(3);
    expect(screen).toMatch(/next {4}crewagent answer [0-9a-f]{8} "…"/);
    expect(JSON.stringify(provider.requests[1]?.body.messages.at(-1))).toContain('The second');
    const again = await runOnTerminal(rig, [['›', CTRL_C]], 'resume', 'last');
    expect(again.code).toBe(3);
    expect(provider.requests).toHaveLength(2);
  });

  it('[C15] shows the exact diff in colours and accepts a decision', async () => {
    const rig = await createCliRig({ CI: 'true' });
    await writeFile(join(rig.project, 'README.md'), 'old\n');
    const write = (id: string, content: string) =>
      toolCallReply([{ id, name: 'fs_write', arguments: { path: '@project/README.md', content } }]);
    const provider = await startProvider([write('a', 'one\n'), write('b', 'two\n'), textReply('Done.')]);
    const { code, raw } = await runOnTerminal(
      rig,
      [
        ['[n]o', 'what\r'],
        ['[n]o', 'y\r'],
        ['[n]o', 'n\r'],
        ['instead?', 'Keep it\r'],
        ['Done.', ''],
        ['›', CTRL_D],
      ],
      ...['run', await writeSample(rig), '-p', 'project', '--approve=ask', ...provider.options],
    );
    expect(code).toBe(3);
    expect(raw).toContain('\u001b[31m-old\u001b[39m');
    expect(raw).toContain('\u001b[32m+one\u001b[39m');
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('one\n');
    expect(JSON.stringify(provider.requests[2]?.body.messages.at(-1))).toContain('Keep it');
  });

  it('[C90] approve prints the change and asks; anything but yes approves nothing', async () => {
    const rig = await createCliRig({ CI: 'true' });
    await writeFile(join(rig.project, 'README.md'), 'old\n');
    const provider = await startProvider([
      toolCallReply([
        { name: 'fs_write', arguments: { path: '@project/README.md', content: 'a\u001b[2Kb\n' } },
      ]),
      textReply('Done.'),
    ]);
    const pkg = await writeSample(rig);
    await rig.run('run', pkg, '-p', 'project', '--approve=ask', ...provider.options);
    const refused = await runOnTerminal(rig, [['Approve it?', '\r']], 'approve', 'last');
    expect(refused.code).toBe(2);
    expect(refused.raw).toContain('+a⟨1B⟩[2Kb');
    expect(refused.raw).toContain('Nothing was approved.');
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('old\n');
    await runOnTerminal(
      rig,
      [
        ['Approve it?', 'y\r'],
        ['Done.', ''],
        ['›', CTRL_D],
      ],
      ...['approve', 'last', '--run'],
    );
    expect(await readFile(join(rig.project, 'README.md'), 'utf8')).toBe('a\u001b[2Kb\n');
  });

  it('[C15] [L21] asks which files to approve; Enter means only this file', async () => {
    const rig = await createCliRig({ CI: 'true' });
    const write = (path: string) =>
      toolCallReply([{ name: 'fs_write', arguments: { path: `@project/${path}`, content: 'x' } }]);
    const paths = ['docs/a.md', 'docs/b.md', 'c.md', 'c.md', 'd.md'];
    const provider = await startProvider([...paths.map(write), textReply('Done.')]);
    const { code, raw } = await runOnTerminal(
      rig,
      [
        ['[n]o', 'r\r'],
        ['For which files?', 'what\r'],
        ['For which files?', 'd\r'],
        ['c.md', 's\r'],
        ['For which files?', '\r'],
        ['d.md', 'n\r'],
        ['instead?', '\r'],
        ['Done.', ''],
        ['›', CTRL_D],
      ],
      ...['run', await writeSample(rig), '-p', 'project', '--approve=ask', ...provider.options],
    );
    expect(code).toBe(3);
    expect(raw).toContain('Everything in docs/');
    expect((await readdir(rig.project, { recursive: true })).sort()).toEqual(
      expect.arrayContaining(['c.md', 'docs/a.md', 'docs/b.md']),
    );
    expect(await readdir(rig.project)).not.toContain('d.md');
  });

  it('[C15] continues at a limit with Enter, and exits with 4 on Ctrl-D', async () => {
    const rig = await createCliRig();
    const provider = await startProvider((_, index) =>
      toolCallReply([
        { id: `c${index}`, name: 'fs_list', arguments: { path: '@project', depth: index + 1 } },
      ]),
    );
    const { code } = await runOnTerminal(
      rig,
      [
        ['Press Enter to continue', '\r'],
        ['Press Enter to continue', CTRL_D],
      ],
      ...['run', await writeSample(rig), '-p', 'project', '--max-turns=1', ...provider.options],
    );
    expect(code).toBe(4);
    expect(provider.requests).toHaveLength(2);
  });

  it('[C16] Ctrl-C stops a running run', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([stallAfter(textReply('Let me think.', { pieceLength: 4 }), 3)]);
    const { code, screen } = await runOnTerminal(
      rig,
      [['Let', CTRL_C]],
      ...['run', await writeSample(rig), '-p', 'project', ...provider.options],
    );
    expect(screen).toMatch(/… The run was stopped; it can be resumed at any time\./);
    expect(code).toBe(130);
  });

  it.skipIf(!hasPty)('[C16] stops the run cleanly when the terminal is closed', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([stallAfter(textReply('Let me think.', { pieceLength: 4 }), 3)]);
    const { code } = await runOnPty(
      rig,
      [['Let', HANG_UP]],
      ...['run', await writeSample(rig), '-p', 'project', ...provider.options],
    );
    expect(code).toBe(128 + constants.signals.SIGHUP);
    expect((await rig.run('runs')).out).toContain('… stopped');
  });

  it.each([
    ['formats Markdown', [], /^ {2}• one$/m],
    ['with --plain prints it as it is, without colours', ['--plain'], /^ {2}- \*\*one\*\*$/m],
  ])('[C13] %s', async (_, options, shown) => {
    const rig = await createCliRig();
    const provider = await startProvider([textReply('# Plan\n\n- **one**\n\nDone.')]);
    const { raw, screen } = await runOnTerminal(
      rig,
      [
        ['Done.', ''],
        ['›', CTRL_D],
      ],
      ...['run', await writeSample(rig), '-p', 'project', ...options, ...provider.options],
    );
    expect(screen).toMatch(shown);
    expect(raw.includes('\u001b[1mPlan')).toBe(options.length === 0);
    expect(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/.test(screen)).toBe(false);
  });

  it('[C13] shows the current activity, and clears it', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([
      statusReply(503, { error: { message: 'busy' } }, { 'retry-after': '1' }),
      textReply('Here.'),
    ]);
    const { raw } = await runOnTerminal(
      rig,
      [
        ['Here.', ''],
        ['›', CTRL_D],
      ],
      ...['run', await writeSample(rig), '-p', 'project', ...provider.options],
    );
    const [, after] = raw.split(/Waiting to retry(?!.*Waiting to retry)/s);
    expect(after).toContain('\r\u001b[2K');
    expect(after).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏].*Here\./s);
  });

  it.skipIf(!hasPty)('[C22] does not echo a typed API key', async () => {
    const rig = await createCliRig();
    await rig.run('config', 'add-model', 'local', '--base-url', 'http://127.0.0.1:1/v1', '--model', 'm');
    const { code, screen } = await runOnPty(
      rig,
      [['not shown', 'sk-secrex\u007ft\r']],
      'config',
      'set-key',
      'local',
    );
    expect(code).toBe(0);
    expect(screen).not.toContain('sk-');
    expect(await readFile(join(rig.store, 'secrets.json'), 'utf8')).toContain('"sk-secret"');
  });

  it('[C20] undo and delete ask for confirmation', async () => {
    const rig = await createCliRig();
    await rig.run('run', hello, '-p', 'project', '--rehearsal', '-i', 'Nova');
    const declined = await runOnTerminal(rig, [['[y/N]', '\r']], 'undo', 'last');
    expect(declined).toMatchObject({
      code: 0,
      screen: expect.stringContaining('Nothing was changed.') as string,
    });
    const undone = await runOnTerminal(rig, [['[y/N]', 'y\r']], 'undo', 'last');
    expect(undone.screen).toContain('✔ @project/artifacts/hello-branch/intake.md removed');
    expect((await runOnTerminal(rig, [['[y/N]', 'y\r']], 'runs', 'delete', 'last')).screen).toContain(
      '✔ deleted run',
    );
  });
});
