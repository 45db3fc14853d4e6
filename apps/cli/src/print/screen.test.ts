import { expect, it } from 'vitest';
import { toActivity } from './screen.ts';

it('[C13] the progress of a call is shown beside its name', () => {
  const event = { v: 1, seq: 1, ts: '2026-01-01T00:00:00Z', runId: 'r', type: 'tool.progress' } as const;
  const call = { ...event, callId: 'c', name: 'mcp.tickets.sync' };
  expect(toActivity({ ...call, progress: 1, total: 4, message: 'Reading' })).toBe(
    'mcp.tickets.sync · 25 % · Reading',
  );
  expect(toActivity({ ...call, progress: 7 })).toBe('mcp.tickets.sync · 7');
});
