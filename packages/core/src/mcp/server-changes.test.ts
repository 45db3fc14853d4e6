import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { toAddress } from '../store/work-address.ts';
import { textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { hasSandbox } from '../testing/require-sandbox.ts';
import { createMcpRig, testServer } from '../testing/rigs/mcp-rig.ts';
import { writeTree } from '../testing/temp-folder.ts';

const run = (script: string) => toolCallReply([{ name: 'mcp_test_run', arguments: { script } }]);

/** An empty script ends the turn. */
async function createRig(
  scripts: readonly string[],
  tree: Readonly<Record<string, string>> = {},
  flags: readonly string[] = ['runs'],
) {
  const { command, args } = testServer(...flags);
  const sandbox = { network: false, folders: [dirname(args[0] ?? '')] };
  const rig = await createMcpRig(
    [...scripts.flatMap((script) => (script === '' ? [textReply('.')] : [run(script)])), textReply('.')],
    {
      test: { command, args, trusted: true, sandbox },
    },
  );
  await writeTree(rig.project, tree);
  const { session, events } = await rig.chat('autopilot');
  return { ...rig, session, events };
}

const answersOf = (events: readonly RunEvent[]) =>
  events
    .filter((event): event is EventOf<'tool.ended'> => event.type === 'tool.ended')
    .map(({ content }) => JSON.parse(content) as Record<string, unknown>);

const requestsIn = (events: readonly RunEvent[]): EventOf<'approval.requested'>[] =>
  events.filter((event) => event.type === 'approval.requested');

describe.skipIf(!hasSandbox)('a server in the sandbox', () => {
  it('[Y27] commits what it changed after each call, and can be undone', async () => {
    const { session, events, project, runtime, root } = await createRig([
      'echo 1 > a; cat b 2>&1; pwd',
      'echo 2 >> a; cat a; mkdir made',
      'cat a',
    ]);
    await session.input('go');
    expect(answersOf(events)).toMatchObject([
      { ok: true, changed: [{ path: '@project/a', kind: 'created' }] },
      { ok: true, changed: [{ path: '@project/a', kind: 'changed' }] },
      { ok: true, text: '1\n2\n' },
    ]);
    expect(answersOf(events)[2]).not.toHaveProperty('changed');
    expect(JSON.stringify(events)).not.toContain(`${root}/project`);
    expect(await readFile(join(project, 'a'), 'utf8')).toBe('1\n2\n');
    await session.close();
    const changes = await runtime.openChanges(toAddress(session.record));
    await changes.undo({ all: true });
    await changes.close();
    expect(readdirSync(project)).toEqual(['README.md']);
  });

  it('[Y27] asks for protected changes as part of the call, and is not called again', async () => {
    const { session, events, project } = await createRig([
      'echo {} > package.json; echo x >> calls',
      'cat calls',
    ]);
    await session.input('go');
    expect(requestsIn(events)).toMatchObject([
      { tool: 'mcp.test.run', action: { target: '@project/package.json', isOnceOnly: true } },
    ]);
    expect(existsSync(join(project, 'package.json'))).toBe(false);
    await session.approve({ decision: 'once' });
    expect(await readFile(join(project, 'package.json'), 'utf8')).toBe('{}\n');
    expect(answersOf(events)).toMatchObject([{ ok: true }, { text: 'x\n' }]);
    expect(answersOf(events)[1]).not.toHaveProperty('changed');
  });

  it('[Y27] sees changes of others, and does not overwrite what it has not seen', async () => {
    const { session, events, project } = await createRig(
      ['cat new a; echo server > a', '', 'cat new; echo again >> a; echo more >> new'],
      { a: 'first\n' },
    );
    await session.input('go');
    await writeFile(join(project, 'a'), 'person\n');
    await writeFile(join(project, 'new'), 'by the person\n');
    await session.input('again');
    const [, second] = answersOf(events);
    expect(second).toMatchObject({
      notes: [expect.stringMatching(/somebody else changed them.*: a\./) as string],
    });
    expect(await readFile(join(project, 'a'), 'utf8')).toBe('person\n');
    expect(await readFile(join(project, 'new'), 'utf8')).toBe('by the person\nmore\n');
  });

  it('[Y27] keeps nothing of a tool that was offered as one that only reads', async () => {
    const { session, events, project } = await createRig(['echo 1 > a'], {}, ['runs', 'read-only-run']);
    await session.input('go');
    expect(answersOf(events)).toMatchObject([
      { ok: true, notes: [expect.stringMatching(/only reads: a\.$/) as string] },
    ]);
    expect(existsSync(join(project, 'a'))).toBe(false);
  });
});
