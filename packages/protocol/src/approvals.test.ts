import { describe, expect, it } from 'vitest';
import { covers } from './approvals.ts';

describe('standing consent', () => {
  it('covers all file tools, else only the one tool', () => {
    const path = '@project/a.md';
    expect(covers({ tool: 'fs.write', path, reach: 'file' }, 'fs.apply_patch', path)).toBe(true);
    const ticket = { tool: 'mcp.tickets.create', path: 'tickets', reach: 'all' } as const;
    expect(covers(ticket, 'mcp.tickets.create', 'tickets')).toBe(true);
    expect(covers(ticket, 'mcp.tickets.remove', 'tickets')).toBe(false);
    expect(covers(ticket, 'fs.write', path)).toBe(false);
  });
});
