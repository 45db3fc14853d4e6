import { describe, expect, it } from 'vitest';
import {
  type ProviderScript,
  startFakeProvider,
} from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { attach, createCliRig, parseLines, type SessionResult } from './testing/cli-rig.ts';
import { writeThreadPackage } from './testing/thread-package.ts';

const startProvider = async (script: ProviderScript) => attach(await startFakeProvider(script));

describe('chat, without a terminal', () => {
  it('is a conversation without an agent', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([textReply('Hello \u001b[31mthere.')]);
    const { code, out, err } = await rig.run('chat', '-p', 'project', ...provider.options, '-i', 'Hello');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Chat\n {2}model {9}scripted at /);
    expect(out).toContain('  › Hello\n  Hello \uFFFD[31mthere.\n');
    expect(out).toMatch(/^ {2}continue {3}crewagent chat --continue [0-9a-f]{8}$/m);
  });

  it('[C11] requires --input without a terminal', async () => {
    const rig = await createCliRig();
    for (const args of [[], ['--json'], ['--continue']]) {
      const { code, out, err } = await rig.run('chat', ...args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^Error: There is no terminal to type in\. .*--input.*\n$/);
    }
  });

  it('[C11] /exit leaves and ignores later lines', async () => {
    const rig = await createCliRig();
    const { code, out, err } = await rig.run(
      ...['chat', '-p', 'project', '--rehearsal', '-i', '/exit', '-i', 'more'],
    );
    expect(code).toBe(0);
    expect(out).not.toContain('› more');
    expect(err).toContain('1 of 2 --input texts was not used');
  });

  it('[C17] --continue opens the latest chat of the project', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([textReply('First.'), textReply('Second.')]);
    await rig.run('chat', '-p', 'project', ...provider.options, '-i', 'Remember the number nine');
    await rig.run('agent', await writeThreadPackage(rig), '-p', 'project', '--rehearsal', '-i', 'go');
    const { code } = await rig.run('chat', '-p', 'project', '--continue', '-i', 'Which number?');
    expect(code).toBe(0);
    expect(JSON.stringify(provider.requests[1]?.body.messages)).toContain('Remember the number nine');
    const none = await rig.run('chat', '--continue', '-i', 'x');
    expect(none).toMatchObject({
      code: 2,
      err: expect.stringMatching(/There is no chat in this project/) as string,
    });
  });

  it('[C17] turns a conversation with an agent into plain chat', async () => {
    const rig = await createCliRig();
    const pkg = await writeThreadPackage(rig);
    await rig.run('agent', pkg, '-p', 'project', '--rehearsal', '-i', 'hello there');
    const { out } = await rig.run('chat', '-p', 'project', '--continue', 'last', '--json', '-i', 'Hello');
    const { events, result } = parseLines<SessionResult>(out);
    expect(events[0]).toMatchObject({ type: 'agent.dismissed', agentId: 'analyst' });
    expect(result).toMatchObject({ mode: 'chat', phase: 'WaitingUser' });
    expect((await rig.run('conversations', 'show', 'last')).out).toContain('hello there');
  });
});
