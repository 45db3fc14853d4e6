import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
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
import { attach, createCliRig, parseLines, type SessionResult } from './testing/cli-rig.ts';
import { ROOT } from './testing/running-command.ts';
import { writeThreadPackage } from './testing/thread-package.ts';

const startProvider = async (script: ProviderScript) => attach(await startFakeProvider(script));
const hello = join(ROOT, 'examples/hello-branch');

const ask = (...ids: string[]) => {
  const questions = ids.map((id) => ({ id, prompt: `${id}?`, type: 'text' }));
  return toolCallReply([{ id: 'q1', name: 'ui_ask_user', arguments: { questions } }]);
};
const write = (path: string, content: string) =>
  toolCallReply([{ id: 'w1', name: 'fs_write', arguments: { path, content } }]);

/** An agent's conversation without a terminal, driven by a provider. */
async function startConversation(script: ProviderScript) {
  const rig = await createCliRig();
  const provider = await startProvider(script);
  const pkg = await writeThreadPackage(rig);
  const agent = (...args: string[]) => rig.run('agent', pkg, '-p', 'project', ...provider.options, ...args);
  return { rig, provider, pkg, agent };
}

describe('agent, without a terminal', () => {
  it('prints the agent and its menu, and exits', async () => {
    const { agent } = await startConversation([]);
    const { code, out, err } = await agent();
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(out).toMatch(/^A Ann, Analyst\n {2}package {7}talk 1\.0\.0\n {2}model {9}scripted at http/);
    expect(out).toMatch(/^ {2}project {7}\S+project\n {2}conversation {2}[0-9a-f]{8}$/m);
    expect(out).toMatch(/^ {2}1 {2}go {6}Follow the workflow\n {2}2 {2}check {3}Check what there is$/m);
    expect(out).toMatch(/^ {2}continue {3}crewagent agent \S+talk --continue [0-9a-f]{8}$/m);
  });

  it('[T43] denies a file that runs later in an unattended conversation', async () => {
    const { rig, provider, agent } = await startConversation([
      write('@project/Makefile', 'all:\n'),
      textReply('Without it.'),
    ]);
    const { code } = await agent('-i', 'Please write a Makefile for me');
    expect(code).toBe(0);
    expect(existsSync(join(rig.project, 'Makefile'))).toBe(false);
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('nobody is here to approve it');
  });

  it('accepts an agent by id or name', async () => {
    const { agent } = await startConversation([]);
    expect((await agent('other')).out).toContain('O Otto, Other');
    expect((await agent('OTTO')).out).toContain('O Otto, Other');
  });

  it.each([
    ['a package', ['agent', 'nothing.bmad', '-i', 'x'], 'nothing.bmad'],
    ['an agent', ['agent', hello, 'nobody', '-i', 'x'], 'has no agent "nobody"'],
    ['a folder', ['agent', hello, '-p', 'nowhere', '-i', 'x'], 'nowhere'],
    ['a recording', ['agent', hello, '--replay', 'none.jsonl', '-i', 'x'], 'none.jsonl'],
  ])(
    '%s that does not exist is a one-line error, and no conversation is created',
    async (_, args, expected) => {
      const rig = await createCliRig();
      const { code, out, err } = await rig.run(...args);
      expect(code).toBe(2);
      expect(out).toBe('');
      expect(err).toMatch(/^Error: .+\n$/);
      expect(err).toContain(expected);
      expect((await rig.run('conversations', '--json')).out).toBe('[]\n');
    },
  );

  it('[C11] types the --input lines in order: menu, message, workflow, script', async () => {
    const { agent, provider } = await startConversation([
      textReply('There is nothing.'),
      textReply('You are welcome.'),
      textReply('Reviewed.'),
      textReply('Which one?'),
    ]);
    const { code, out } = await agent(
      '-i',
      '2',
      '-i',
      'Thank you',
      '-i',
      'review',
      '-i',
      '/stop',
      '-i',
      'go',
    );
    const order = [
      '  › 2\n  + Instruction: #check\n  There is nothing.',
      '  › Thank you\n  You are welcome.',
      '◆ Following @pkg/tasks/review.md\n  Reviewed.',
      '◇ Finished @pkg/tasks/review.md',
      '▸ 1/2 step-01\n  Which one?',
    ];
    let at = 0;
    for (const expected of order) {
      expect(out.slice(at)).toContain(expected);
      at = out.indexOf(expected, at);
    }
    expect(out).toMatch(/^◆ Started (?:Sample|talk) \(run [0-9a-f]{8}\)$/m);
    expect(provider.violations).toEqual([]);
    expect(code).toBe(3);
  });

  it('[C11] answers a question with the next lines', async () => {
    const { agent, provider } = await startConversation([ask('name', 'goal'), textReply('Thank you.')]);
    const { code, out } = await agent('-i', 'hello', '-i', 'Nova', '-i', 'Ship it');
    expect(code).toBe(0);
    expect(out).toContain('  › name: Nova\n  › goal: Ship it\n');
    expect(JSON.stringify(provider.requests[1]?.body.messages.at(-1))).toContain('Ship it');
  });

  it('[C11] exits with 2 for an invalid answer and keeps waiting', async () => {
    const question = { id: 'size', prompt: 'Size?', type: 'choice', options: ['small', 'large'] };
    const { rig, agent } = await startConversation([
      toolCallReply([{ id: 'q1', name: 'ui_ask_user', arguments: { questions: [question] } }]),
    ]);
    const { code, err } = await agent('-i', 'hello', '-i', '9');
    expect(code).toBe(2);
    expect(err).toContain('must be "small" or "large"');
    expect((await rig.run('conversations')).out).toContain('… waiting for an answer');
  });

  it('[V28] counts a run that was left, and /resume continues it', async () => {
    const { rig, agent } = await startConversation(() => textReply('Which one?'));
    expect((await agent('-i', 'go', '-i', '/stop')).code).toBe(0);
    expect((await rig.run('conversations')).out).toContain('(1 run left; /resume)');
  });

  it('[C11] does not approve a change with an --input line', async () => {
    const { rig, agent } = await startConversation([write('@project/README.md', 'new\n')]);
    const { code, out, err } = await agent('--approve=ask', '-i', 'Write it', '-i', 'yes');
    expect(code).toBe(3);
    expect(out).toContain('fs.write wants to change @project/README.md');
    expect(out).toContain('  +new');
    expect(err).toContain('1 of 2 --input texts was not used');
    expect(existsSync(join(rig.project, 'README.md'))).toBe(false);
  });

  it('[C11] does not lift a limit with an --input line, only with /resume', async () => {
    const { agent, provider } = await startConversation((_, index) =>
      toolCallReply([
        { id: `c${index}`, name: 'fs_list', arguments: { path: '@project', depth: index + 1 } },
      ]),
    );
    const limited = await agent('--max-turns=1', '-i', 'Begin, please', '-i', 'Go on');
    expect(limited.code).toBe(4);
    expect(limited.err).toContain('was not used');
    expect(provider.requests).toHaveLength(1);
    expect((await agent('--max-turns=1', '-i', 'Begin, please', '-i', '/resume')).code).toBe(4);
    expect(provider.requests).toHaveLength(3);
  });

  it('[C11] exits with 2 when a command is rejected', async () => {
    const { agent, provider } = await startConversation([]);
    const { code, out, err } = await agent('-i', 'load', '-i', 'hello');
    expect(code).toBe(2);
    expect(out).toMatch(/^ {2}! .*data\/none\.csv/m);
    expect(err).toContain('1 of 2 --input texts was not used');
    expect(provider.requests).toHaveLength(0);
    expect((await agent('-i', '/resume')).code).toBe(2);
  });

  it('[C16] exits with 0 when idle and with 1 after a failure', async () => {
    const { rig, agent, pkg } = await startConversation([textReply('Hello.'), textReply('Which one?')]);
    expect((await agent('-i', 'hello there')).code).toBe(0);
    expect((await agent('-i', '/menu')).code).toBe(0);
    expect((await agent('-i', 'go')).code).toBe(3);
    const run = await rig.lastRun();
    await writeFile(join(run, 'state/workflow.md'), 'not a state document');
    const failed = await rig.run('agent', pkg, '-p', 'project', '--continue', '-i', 'And now?');
    expect(failed.code).toBe(1);
    expect(failed.out).toMatch(/^✖ /m);
  });

  it('[C16] exits with 3 and a hint when the model cannot be reached', async () => {
    const { agent } = await startConversation([statusReply(401, { error: { message: 'no such key' } })]);
    const { code, out } = await agent('-i', 'hello there');
    expect(code).toBe(3);
    expect(out).toMatch(/^… .*key/m);
  });

  it('[C12] prints the events of the conversation and of its runs, and a result', async () => {
    const rig = await createCliRig();
    const { code, out, err } = await rig.run(
      ...['agent', hello, '-p', 'project', '--rehearsal', '--json'],
      ...['-i', '1', '-i', '{"projectName":"Nova","goal":"Ship it","existing":"nothing"}'],
    );
    expect(code).toBe(0);
    expect(err).toMatch(/^ {2}crewagent agent \S+ --continue [0-9a-f]{8}\n$/);
    const { events, result } = parseLines<SessionResult>(out);
    const types = events.map(({ type }) => type);
    expect(types).toContain('command.resolved');
    expect(types.indexOf('run.entered')).toBeLessThan(types.indexOf('turn.started'));
    expect(new Set(events.map(({ runId }) => runId))).toEqual(
      new Set([result.conversationId, result.activeRunId]),
    );
    expect(result).toMatchObject({ type: 'result', mode: 'run', phase: 'Completed', reason: null });
    expect(result.state?.variables).toMatchObject({ projectName: 'Nova', workflowStatus: 'complete' });
    expect(result.state?.artifacts).toContain('artifacts/hello-branch/summary.md');
    expect(result.usage.promptTokens).toBeGreaterThan(0);
    expect(out).not.toContain(rig.folder);
  });

  it('[C12] reports no state outside a run, and the reason of the wait', async () => {
    const { agent } = await startConversation([ask('name')]);
    const { code, out, err } = await agent('--json', '-i', 'hello');
    expect(code).toBe(3);
    expect(err).toMatch(/--continue [0-9a-f]{8} -i "…"/);
    const { result } = parseLines<SessionResult>(out);
    expect(result).toMatchObject({
      mode: 'agent',
      phase: 'WaitingUser',
      reason: { code: 'question' },
      activeRunId: null,
    });
    expect(result).not.toHaveProperty('state');
  });

  it('[C17] --continue opens the latest conversation with an agent of the package', async () => {
    const { rig, agent, provider, pkg } = await startConversation([
      textReply('First.'),
      textReply('Second.'),
    ]);
    await agent('-i', 'Remember the number nine');
    await rig.run('chat', '-p', 'project', '--rehearsal', '-i', 'Something else');
    await rig.run('agent', hello, '-p', 'project', '--rehearsal');
    const { code } = await rig.run('agent', pkg, '-p', 'project', '--continue', '-i', 'Which number?');
    expect(code).toBe(0);
    const sent = JSON.stringify(provider.requests[1]?.body.messages);
    expect(sent).toContain('Remember the number nine');
    expect(sent).toContain('First.');
  });

  it('[C17] says that a conversation stays on the version of its package', async () => {
    const { rig, agent, pkg } = await startConversation([textReply('First.'), textReply('Second.')]);
    await agent('-i', 'Hello');
    const manifest = join(pkg, 'bmad.json');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"1.0.0"', '"1.1.0"'));
    const { err } = await rig.run('agent', pkg, '-p', 'project', '--continue', '-i', 'Again');
    expect(err).toContain('stays on talk 1.0.0. Start a new one, without --continue, to use 1.1.0.');
  });

  it('[C17] continues inside a run with its pending question', async () => {
    const { rig, agent, pkg } = await startConversation([ask('name'), textReply('Thank you.')]);
    await agent('-i', 'go');
    const { code, out } = await rig.run('agent', pkg, '-p', 'project', '--continue', '-i', 'Nova');
    expect(out).toContain('? name? (name, text)');
    expect(out).toContain('  › name: Nova');
    expect(code).toBe(3);
  });

  it('[C17] continues a conversation by id from any folder, and switches to another agent', async () => {
    const { rig, agent, pkg } = await startConversation([textReply('First.')]);
    const started = await agent('-i', 'hello there', '--json');
    const { conversationId } = parseLines<SessionResult>(started.out).result;
    const id = conversationId.slice(-8);
    const { out } = await rig.run('agent', pkg, 'other', '--continue', id, '--rehearsal', '--json');
    const { events, result } = parseLines<SessionResult>(out);
    expect(result.conversationId).toBe(conversationId);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'agent.entered',
        agent: expect.objectContaining({ agentId: 'other' }) as unknown,
      }),
    );
    const same = await rig.run('agent', pkg, 'other', '--continue', id, '--json');
    expect(parseLines<SessionResult>(same.out).events).toEqual([]);
  });

  it('[C17] reports that there is no conversation to continue', async () => {
    const { rig, pkg } = await startConversation([]);
    for (const args of [[], ['-i', 'x']]) {
      const { code, err } = await rig.run('agent', pkg, '-p', 'project', '--continue', ...args);
      expect(code).toBe(2);
      expect(err).toMatch(/^Error: There is no conversation .+\n$/);
    }
    const unknown = await rig.run('agent', pkg, '--continue', 'ffffffff', '-i', 'x');
    expect(unknown).toMatchObject({ code: 2, out: '' });
    const both = await rig.run('agent', pkg, '--continue', '--approve=ask');
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining('--approve') as string });
  });

  it('[C13] prints the written files and the command that continues', async () => {
    const { rig, agent } = await startConversation([
      write('@project/notes.md', 'Hello.\n'),
      textReply('Done.'),
    ]);
    const { out } = await agent('--approve=autopilot', '-i', 'Write it');
    expect(await readFile(join(rig.project, 'notes.md'), 'utf8')).toBe('Hello.\n');
    expect(out).toMatch(/^ {2}files {6}project\/notes\.md$/m);
    expect(out).toMatch(/^ {2}used {7}2 turns · 200 tokens in, 20 out/m);
    const undone = await rig.run(
      'agent',
      join(rig.folder, 'talk'),
      '-p',
      'project',
      '--continue',
      '-i',
      '/undo',
    );
    expect(undone.out).toContain('✔ @project/notes.md removed');
    expect(existsSync(join(rig.project, 'notes.md'))).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('signals', () => {
  it.each([
    ['SIGINT', 'spawn', 'Another process'],
    ['SIGTERM', 'start', 'This process'],
  ] as const)(
    '[C16] %s stops the conversation cleanly (%s); it can be continued',
    async (signal, how, holder) => {
      const rig = await createCliRig();
      const provider = await startProvider((_, index) =>
        index === 0
          ? stallAfter(textReply('Let me think about it.', { pieceLength: 4 }), 4)
          : textReply('Here I am.'),
      );
      const pkg = await writeThreadPackage(rig);
      const command = rig[how](
        'agent',
        pkg,
        '-p',
        'project',
        ...provider.options,
        '-i',
        'hello',
        '-i',
        'more',
      );
      await command.printed('Let');
      const second = await rig.run('agent', pkg, '-p', 'project', '--continue', '-i', 'x');
      expect(second).toMatchObject({ code: 2, err: expect.stringContaining(holder) as string });
      command.kill(signal);
      expect((await command.ended).code).toBe(130);
      // An earlier stop does not affect the exit code of a later command.
      expect((await rig.run('agent', pkg, '-p', 'project', '--continue', '-i', '/menu')).code).toBe(0);
      const again = await rig.run('agent', pkg, '-p', 'project', '--continue', '-i', '/resume');
      expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Here I am.') as string });
    },
  );
});
