import { describe, expect, it } from 'vitest';
import type { RunEvent, RunFact } from './events.ts';
import { addToVisit, createVisitFacts, type VisitFacts } from './visit-facts.ts';

function visitAfter(...facts: object[]): VisitFacts {
  const visit = createVisitFacts();
  for (const [index, fact] of facts.entries())
    addToVisit(visit, {
      v: 1,
      seq: index + 1,
      ts: '2026-01-31T09:30:00.000Z',
      runId: 'r',
      ...(fact as RunFact),
    } as RunEvent);
  return visit;
}

const ended = (name: string, effect: object, outcome = 'ok'): object => ({
  type: 'tool.ended',
  callId: 'c',
  name,
  outcome,
  durationMs: 1,
  content: '{}',
  effect,
});

describe('the facts of a visit', () => {
  it('has files that were delivered with the node as read, until the next visit', () => {
    const anchor = {
      type: 'message.completed',
      role: 'user',
      purpose: 'anchor',
      content: '…',
      delivered: ['@project/docs/prd.md'],
    };
    expect(visitAfter(anchor).reads).toEqual(new Map([['@project/docs/prd.md', 1]]));
    const moved = { type: 'state.changed', from: 'a', to: 'b' };
    expect(visitAfter(anchor, moved).reads.size).toBe(0);
  });

  it('has every file of a call that changed several, and those that a program changed, also if it failed', () => {
    const patched = ended('fs.apply_patch', { kind: 'patched', path: '@project/a', also: ['@project/b'] });
    const program = ended('shell.run', { kind: 'external', changed: ['@project/c'] }, 'failed');
    const { writes, written } = visitAfter(patched, program);
    expect(writes).toEqual(
      new Map([
        ['@project/a', 1],
        ['@project/b', 1],
        ['@project/c', 2],
      ]),
    );
    expect([...written]).toEqual(['@project/a', '@project/b', '@project/c']);
  });

  it('has no writes of calls that failed or changed nothing', () => {
    const failed = ended('fs.write', { kind: 'written', path: '@project/a' }, 'failed');
    const same = ended('fs.write', { kind: 'written', path: '@project/a', isUnchanged: true });
    expect(visitAfter(failed, same).writes.size).toBe(0);
  });
});
