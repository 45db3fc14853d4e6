import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { createKeyGuard } from '../llm/key-guard.ts';
import type { EventLog } from './engine-sources.ts';
import { createRunEvents } from './run-events.ts';
import { RunMemory } from './run-memory.ts';

const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQr'.repeat(2)}`;

describe('events of a run', () => {
  it('[T180] hide secrets in the texts of programs and servers, and keep the words of people', async () => {
    const stored: RunEvent[] = [];
    const stamp = (fact: RunFact) => ({ ...fact, seq: stored.length + 1, ts: '', runId: 'r' }) as RunEvent;
    const log: Pick<EventLog, 'append' | 'stamp' | 'sync'> = {
      append(fact) {
        const event = stamp(fact);
        stored.push(event);
        return event;
      },
      stamp,
      sync: async () => undefined,
    };
    const events = createRunEvents(
      { openLog: async () => log as EventLog, onBug: () => undefined },
      {
        memory: new RunMemory(),
        keys: createKeyGuard([], 'r'),
        history: { scope: 'run', toWireName: (name) => name },
      },
    );
    await events.open();
    const message = `The server says ${TOKEN}`;
    const shown = [
      events.emit({ type: 'warning', message }),
      events.emit({ type: 'error', code: 'X', message, details: { output: [message] } }),
      events.emit({ type: 'tool.progress', callId: 'c', name: 'n', progress: 1, message }),
    ];
    expect(JSON.stringify([shown, stored])).not.toContain(TOKEN);
    expect(events.emit({ type: 'input.queued', content: message })).toMatchObject({ content: message });
  });
});
