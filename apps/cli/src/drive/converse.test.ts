import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ProviderScript,
  startFakeProvider,
} from '../../../../packages/core/src/testing/models/fake-provider.ts';
import {
  hangAfterHeaders,
  stallAfter,
  textReply,
  toolCallReply,
} from '../../../../packages/core/src/testing/models/provider-replies.ts';
import { attach, createCliRig } from '../testing/cli-rig.ts';
import {
  CTRL_C,
  CTRL_D,
  HANG_UP,
  hasPty,
  runOnPty,
  runOnTerminal,
  type Steps,
} from '../testing/terminal-rig.ts';
import { writeThreadPackage } from '../testing/thread-package.ts';

const UP = '\u001b[A';

/** `agent` on a terminal; `type` starts it and types, `typeOnPty` on a terminal of the operating system. */
async function startConversation(script: ProviderScript) {
  const rig = await createCliRig();
  const provider = attach(await startFakeProvider(script));
  const pkg = await writeThreadPackage(rig);
  const agent = ['agent', pkg, '-p', 'project', ...provider.options];
  const type = (steps: Steps, ...args: string[]) => runOnTerminal(rig, steps, ...agent, ...args);
  const typeOnPty = (steps: Steps) => runOnPty(rig, steps, ...agent);
  const lastSaid = (index: number): string =>
    JSON.stringify(provider.requests[index]?.body.messages.at(-1) ?? '');
  return { rig, provider, pkg, type, typeOnPty, lastSaid };
}

describe('a conversation on a terminal', () => {
  it('[C15] shows the menu and names the recipient in the prompt', async () => {
    const { type, lastSaid } = await startConversation([
      textReply('Nothing is here.'),
      textReply('Which one?'),
      textReply('And then?'),
    ]);
    const { code, screen } = await type([
      ['Ann', ''],
      ['Ctrl-D to leave', ''],
      ['Ann', '2\r'],
      ['Nothing is here.', ''],
      ['Ann', 'go\r'],
      ['Which one?', ''],
      ['step-01', 'The second\r'],
      ['And then?', ''],
      ['step-01', '/exit\r'],
      ['plain chat', ''],
      ['›', '/exit\r'],
    ]);
    expect(code).toBe(0);
    expect(screen).toMatch(/^ {2}1 {2}go {6}Follow the workflow$/m);
    expect(screen).toMatch(/^Ann › 2\n {2}\+ Instruction: #check\n {2}Nothing is here\.\nAnn › go\n◆ /m);
    expect(screen).toMatch(/^step-01 › The second\n {2}And then\?\nstep-01 › \/exit\n/m);
    expect(screen).toMatch(/^› \/exit\n\n {2}used {7}3 turns/m);
    expect(screen).toMatch(/^ {2}continue {3}crewagent chat --continue [0-9a-f]{8}$/m);
    expect(lastSaid(2)).toContain('The second');
  });

  it('[C15] /attach stores a file in the project and mentions it in the next message', async () => {
    const { rig, type, lastSaid } = await startConversation([textReply('I read it.')]);
    await writeFile(join(rig.folder, 'my plan.md'), '# Plan');
    const { code, screen } = await type([
      ['Ctrl-D to leave', ''],
      ['Ann', '/attach none.md\r'],
      ['cannot be attached', ''],
      ['Ann', `/attach "${join(rig.folder, 'my plan.md')}"\r`],
      ['goes with your next message', ''],
      ['Ann', 'Read this please\r'],
      ['I read it.', ''],
      ['Ann', CTRL_D],
    ]);
    expect(code).toBe(0);
    expect(screen).toContain('Stored as attachments/my plan.md');
    expect(await readFile(join(rig.project, 'attachments/my plan.md'), 'utf8')).toBe('# Plan');
    expect(lastSaid(0)).toContain('Read this please `@project/attachments/my plan.md`');
  });

  it('[C15] shows the menu for an empty line, and choices for an ambiguous one', async () => {
    const { type } = await startConversation([]);
    const { code, screen } = await type([
      ['to leave', ''],
      ['Ann', '\r'],
      ['1', ''],
      ['Ann', '9\r'],
      ['from 1 to 4', ''],
      ['Ann', CTRL_D],
    ]);
    expect(code).toBe(0);
    expect(screen.match(/Follow the workflow/g)).toHaveLength(3);
  });

  it('[C15] asks pending questions at the prompt, where runtime commands work too', async () => {
    const { rig, type } = await startConversation([
      toolCallReply([
        {
          id: 'q1',
          name: 'ui_ask_user',
          arguments: { questions: [{ id: 'size', prompt: 'Size?', type: 'choice', options: ['s', 'l'] }] },
        },
      ]),
      toolCallReply([{ id: 'w1', name: 'fs_write', arguments: { path: '@project/a.md', content: 'new\n' } }]),
      textReply('Done.'),
    ]);
    const { code, screen } = await type(
      [
        ['to leave', ''],
        ['Ann', 'Begin, please\r'],
        ['Size?', ''],
        ['›', '/model\r'],
        ['scripted', ''],
        ['Size?', ''],
        ['›', '9\r'],
        ['must be', 'l\r'],
        ['[n]o', 'y\r'],
        ['Done.', ''],
        ['Ann', CTRL_C],
      ],
      '--approve=ask',
    );
    expect(code).toBe(0);
    expect(await readFile(join(rig.project, 'a.md'), 'utf8')).toBe('new\n');
    expect(screen).toMatch(/^ {2}files {6}project\/a\.md$/m);
  });

  it('[C15] types --input lines first', async () => {
    const { type, provider } = await startConversation([textReply('Which one?'), textReply('Good.')]);
    const { code, screen } = await type(
      [
        ['Good.', ''],
        ['step-01', CTRL_D],
      ],
      ...['-i', 'go', '-i', 'The first'],
    );
    expect(code).toBe(0);
    expect(screen).toContain('Ann › go\n');
    expect(screen).toContain('step-01 › The first\n');
    expect(provider.requests).toHaveLength(2);
  });

  it('[C15] asks the person when an --input line is not a valid answer', async () => {
    const question = { id: 'size', prompt: 'Size?', type: 'choice', options: ['s', 'l'] };
    const { type, lastSaid } = await startConversation([
      toolCallReply([{ id: 'q1', name: 'ui_ask_user', arguments: { questions: [question] } }]),
      textReply('Good.'),
    ]);
    const { code } = await type(
      [
        ['must be', ''],
        ['2. l', 'l\r'],
        ['Good.', ''],
        ['Ann', CTRL_D],
      ],
      ...['-i', 'Begin, please', '-i', '9'],
    );
    expect(code).toBe(0);
    expect(lastSaid(1)).toContain('size');
  });

  it('[C15] prints why it stopped, and continues with Enter', async () => {
    const { type, provider } = await startConversation((_, index) =>
      index === 0
        ? toolCallReply([{ id: 'c1', name: 'fs_list', arguments: { path: '@project' } }])
        : textReply('Here.'),
    );
    const { code } = await type(
      [
        ['to leave', ''],
        ['Ann', 'Begin, please\r'],
        ['Press Enter to continue', ''],
        ['Ann', '\r'],
        ['Here.', ''],
        ['Ann', CTRL_D],
      ],
      '--max-turns=1',
    );
    expect(code).toBe(0);
    expect(provider.requests).toHaveLength(2);
  });

  it.skipIf(!hasPty)('[C15] Ctrl-C stops the turn and shows the prompt again', async () => {
    const { typeOnPty, lastSaid } = await startConversation([
      stallAfter(textReply('Let me think.', { pieceLength: 4 }), 3),
      textReply('Good.'),
    ]);
    const { code, screen } = await typeOnPty([
      ['to leave', ''],
      ['Ann', 'Begin, please\r'],
      ['Let', CTRL_C],
      ['stopped', ''],
      ['Ann', 'Something else\r'],
      ['Good.', ''],
      ['Ann', CTRL_D],
    ]);
    expect(code).toBe(0);
    expect(screen).toMatch(/continue {3}crewagent/);
    expect(lastSaid(1)).toContain('Something else');
  });

  it('[C15] leaves on a second Ctrl-C', async () => {
    const { rig, type } = await startConversation([hangAfterHeaders()]);
    const { code, screen } = await type([
      ['to leave', ''],
      ['Ann', 'Begin, please\r'],
      ['The model evaluates the prompt', CTRL_C],
      ['stopped', ''],
      ['Ann', CTRL_C],
    ]);
    // 130, unless more than a second passed between the two on a slow machine.
    expect([130, 0]).toContain(code);
    expect(screen).toMatch(/continue {3}crewagent agent \S+ --continue/);
    expect((await rig.run('conversations')).out).toContain('… stopped');
  });

  it('[C15] Ctrl-C clears a line with text', async () => {
    const { type, lastSaid } = await startConversation([textReply('Good.')]);
    const { code } = await type([
      ['to leave', ''],
      ['Ann', 'Forget this'],
      ['Forget this', CTRL_C],
      ['Ann', 'Keep \\\rthis'],
      ['this', CTRL_C],
      ['Ann', 'Say that\r'],
      ['Good.', ''],
      ['Ann', CTRL_C],
    ]);
    expect(code).toBe(0);
    expect(lastSaid(0)).toContain('Say that');
    expect(lastSaid(0)).not.toContain('this');
  });

  it.skipIf(!hasPty)('[C15] stops and unlocks the conversation when the terminal is closed', async () => {
    const { rig, typeOnPty } = await startConversation([
      stallAfter(textReply('Let me think.', { pieceLength: 4 }), 3),
    ]);
    const { code } = await typeOnPty([
      ['to leave', ''],
      ['Ann', 'Begin, please\r'],
      ['Let', HANG_UP],
    ]);
    expect(code).toBe(128 + constants.signals.SIGHUP);
    expect((await rig.run('conversations')).out).toContain('… stopped');
  });

  it('[C15] completes commands, menu names and files with Tab', async () => {
    const { rig, type, lastSaid } = await startConversation([textReply('Good.'), textReply('Checked.')]);
    await mkdir(join(rig.project, 'docs'));
    await writeFile(join(rig.project, 'docs/plan.md'), '');
    await writeFile(join(rig.project, '.env'), '');
    await symlink('/', join(rig.project, 'docs/out'));
    const { code, screen } = await type([
      ['to leave', ''],
      ['Ann', '/\t'],
      ['/allow', ''],
      ['Ann', 'mo\t'],
      ['del', '\r'],
      ['scripted', ''],
      ['Ann', 'See @d\t'],
      ['@project/docs/', '\t'],
      ['plan.md', ' and @pkg/ta\t'],
      ['sks/', '\t'],
      ['review.md', '\r'],
      ['Good.', ''],
      ['Ann', 'CHE\t'],
      ['check', '\r'],
      ['Checked.', ''],
      ['Ann', CTRL_D],
    ]);
    expect(code).toBe(0);
    expect(screen).toMatch(/^ {2}\/stop {5}Stop the run and leave it/m);
    expect(screen).not.toContain('.env');
    expect(lastSaid(0)).toContain('See @project/docs/plan.md and @pkg/tasks/review.md');
  });

  it('[C15] continues a line that ends in a backslash', async () => {
    const { type, lastSaid } = await startConversation([textReply('Good.')]);
    const { screen } = await type([
      ['to leave', ''],
      ['Ann', 'one\\\r'],
      ['…', 'two\\\\\r'],
      ['Good.', ''],
      ['Ann', CTRL_D],
    ]);
    expect(screen).toContain('… two');
    expect(lastSaid(0)).toContain(JSON.stringify('one\ntwo\\\\').slice(1, -1));
  });

  it('[C15] treats a paste as text: it is not sent, and contains no keys', async () => {
    const { type, lastSaid } = await startConversation([textReply('Good.'), textReply('Fine.')]);
    const { code } = await type([
      ['to leave', ''],
      ['Ann', `\u001b[200~/exit\r\tone${CTRL_C}${CTRL_D}\r\ntwo\u001b[201~`],
      ['two', '!\r'],
      ['Good.', ''],
      // A terminal without bracketed paste.
      ['Ann', 'three\rfour\r'],
      ['Fine.', ''],
      ['Ann', CTRL_D],
    ]);
    expect(code).toBe(0);
    expect(lastSaid(0)).toContain(JSON.stringify('/exit\n\tone\ntwo!').slice(1, -1));
    expect(lastSaid(1)).toContain(JSON.stringify('three\nfour').slice(1, -1));
  });

  it('[C15] recalls earlier lines with Up', async () => {
    const { type, lastSaid } = await startConversation([textReply('Good.'), textReply('Fine.')]);
    await type([
      ['to leave', ''],
      ['Ann', 'Say that\r'],
      ['Good.', ''],
      ['Ann', UP],
      ['Say that', ' again\r'],
      ['Fine.', ''],
      ['Ann', CTRL_D],
    ]);
    expect(lastSaid(1)).toContain('Say that again');
  });

  it('[C17] --continue shows the last entries', async () => {
    const { rig, type, pkg } = await startConversation([textReply('First.'), textReply('Second.')]);
    await type([
      ['to leave', ''],
      ['Ann', 'Begin, please\r'],
      ['First.', ''],
      ['Ann', CTRL_D],
    ]);
    const again = await runOnTerminal(
      rig,
      [
        ['to leave', ''],
        ['Ann', 'Go on\r'],
        ['Second.', ''],
        ['Ann', CTRL_D],
      ],
      ...['agent', pkg, '-p', 'project', '--continue'],
    );
    expect(again.code).toBe(0);
    expect(again.raw).toContain('\u001b[2m› Begin, please\u001b[22m');
    expect(again.raw).toContain('\u001b[2m│ First.\u001b[22m');
    expect(again.screen.indexOf('First.')).toBeLessThan(again.screen.indexOf('Ctrl-D to leave'));
  });
});
