import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { expect, it } from 'vitest';
import { textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { createMcpRig, testServer } from '../testing/rigs/mcp-rig.ts';
import { addressOf } from './resolve-servers.ts';

const isProgress = (event: RunEvent): event is EventOf<'tool.progress'> => event.type === 'tool.progress';

it('[Y30] progress of a call is sent while it runs: throttled, without secrets, and not stored', async () => {
  const server = { ...testServer('progress'), env: ['TOKEN'], trusted: true };
  const reply = toolCallReply([{ name: 'mcp_test_slow', arguments: { steps: 40 } }]);
  const rig = await createMcpRig([reply, textReply('.')], { test: server });
  const { store } = rig.runtime;
  const address = addressOf({ ...SWITCHES, ...server, inheritEnv: [] });
  await store.secrets.writeServer('test', { address, values: { TOKEN: 'a-secret-token' } });
  const { session, events } = await rig.chat('autopilot');
  await session.input('go');
  const reports = events.filter(isProgress);
  expect(reports[0]).toMatchObject({
    name: 'mcp.test.slow',
    progress: 1,
    total: 40,
    message: 'Step  1 [hidden]',
  });
  expect(reports.length).toBeGreaterThan(1);
  expect(reports.length).toBeLessThan(20);
  const types = events.map(({ type }) => type);
  expect(types.lastIndexOf('tool.progress')).toBeLessThan(types.indexOf('tool.ended'));
  await session.close();
  const files = readdirSync(store.root, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(store.root, name),
  );
  const texts = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'utf8'));
  expect(texts.some((text) => text.includes('tool.ended'))).toBe(true);
  expect(texts.some((text) => text.includes('tool.progress'))).toBe(false);
});

const SWITCHES = { enabled: true, disabledTools: [] };
