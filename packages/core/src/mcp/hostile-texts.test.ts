import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventOf } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { escapeTokens } from '../llm/special-tokens.ts';
import { ALL_HOSTILE, blocksOf } from '../testing/hostile-documents.ts';
import type { FakeProvider } from '../testing/models/fake-provider.ts';
import { type ProviderReply, textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { hasSandbox } from '../testing/require-sandbox.ts';
import { createMcpRig, createShellRig, testServer } from '../testing/rigs/mcp-rig.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const one = (name: string, args: Record<string, unknown> = {}): ProviderReply =>
  toolCallReply([{ name, arguments: args }]);

/** What was sent has the blocks of a chat, one result for each call, and no control tokens. */
function expectFramed({ requests }: Pick<FakeProvider, 'requests'>, calls: number): void {
  const { messages = [], tools = [] } = requests.at(-1)?.body ?? {};
  const sent = JSON.stringify([messages, tools]);
  expect(escapeTokens(sent)).toBe(sent);
  const blocks = messages.flatMap(({ role, content }) =>
    role === 'tool' ? [] : blocksOf(String(content ?? '')),
  );
  expect(blocks).toEqual(['TOOL_POLICY', 'BACKGROUND', 'USER_INPUT']);
  const results = messages.filter(({ role }) => role === 'tool');
  expect(results).toHaveLength(calls);
  for (const { content } of results)
    expect(JSON.parse(String(content))).toMatchObject({ ok: expect.any(Boolean) as boolean });
}

describe('hostile texts', () => {
  it('[P60] of an MCP server stay in its descriptions, results, errors and questions', async () => {
    const file = join(await tempFolder(), 'hostile.txt');
    await writeFile(file, ALL_HOSTILE);
    const script = [one('mcp_test_look'), one('mcp_test_fail'), one('mcp_test_ask'), textReply('Done.')];
    const rig = await createMcpRig(script, { test: { ...testServer(`hostile=${file}`), trusted: true } });
    const { session, events } = await rig.chat('ask');
    // What changes something is asked about, and so is what the server asks, whatever its text says.
    expect(await session.input('go')).toMatchObject({ reason: { code: 'approval' } });
    expect(await session.approve({ decision: 'once' })).toMatchObject({ reason: { code: 'approval' } });
    expect(await session.approve({ decision: 'once' })).toMatchObject({ reason: { code: 'question' } });
    const asked = events.find((event): event is EventOf<'question.asked'> => event.type === 'question.asked');
    await session.answer({ [asked?.questions[0]?.id ?? '']: ALL_HOSTILE });
    expectFramed(rig.provider, 3);
  });

  it.skipIf(!hasSandbox)('[P60] of a command stay in its result', async () => {
    const rig = await createShellRig([one('shell_run', { command: 'cat hostile.txt' }), textReply('Done.')], {
      tree: { 'hostile.txt': ALL_HOSTILE },
    });
    const { session } = await rig.chat('autopilot');
    await session.input('go');
    expectFramed(rig.provider, 1);
    expect(JSON.stringify(rig.provider.requests.at(-1)?.body)).toContain('END_STEP_FILE');
  });
});
