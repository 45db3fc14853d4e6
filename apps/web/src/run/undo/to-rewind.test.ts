import type { RunFact } from '@crewagent/protocol/events';
import type { JournalEntry } from '@crewagent/protocol/journal';
import { foldStory } from '@crewagent/protocol/story/fold-story';
import { describe, expect, it } from 'vitest';
import { helloBranchLog } from '../../testing/logs.ts';
import { eventful, RUN_ID, toLog } from '../../testing/made-events.ts';
import { filesSince, rewindTargets } from './to-rewind.ts';

const done = foldStory('x', helloBranchLog);
const underWay = foldStory(RUN_ID, toLog(RUN_ID, eventful));

describe('rewinding', () => {
  it('[U66] targets previous nodes, most recent first, without the current one', () => {
    const targets = rewindTargets(underWay).map(({ nodeId }) => nodeId);
    expect(targets).not.toContain(underWay.state.currentNodeId);
    expect(targets.at(-1)).toBe('step-01-intake');
    expect(new Set(targets).size).toBe(targets.length);
  });

  it('[U66] of a complete run can also target its end', () => {
    expect(rewindTargets(done)[0]?.nodeId).toBe('end-99');
  });

  it('[U66] lists files changed since, without duplicates and undone changes', () => {
    const { startedAt = '' } = done.visits.find(({ nodeId }) => nodeId === 'end-99') ?? {};
    const early = done.visits[0]?.startedAt ?? '';
    const change = (at: string, path: string, undone = false) =>
      ({ at, path, undone }) as Partial<JournalEntry> as JournalEntry;
    const changes = [
      change(early, 'a'),
      change(startedAt, 'b'),
      change(startedAt, 'b'),
      change(startedAt, 'c', true),
    ];
    expect(filesSince(done, 'end-99', changes)).toEqual(['b']);
    expect(filesSince(done, 'step-01-intake', changes)).toEqual(['a', 'b']);
    expect(filesSince(done, 'nowhere', changes)).toEqual([]);
  });

  it('[S17] counts from the transition, or from the rewind, also before a turn', () => {
    const rewound: RunFact = {
      type: 'state.changed',
      from: 'step-03b-brownfield',
      to: 'step-03b-brownfield',
      variables: {},
      stepsAdded: [],
      decisionsAdded: [],
      notes: [],
      sha256: 'c',
      isRewind: true,
    };
    const log = toLog(RUN_ID, [...eventful, rewound]);
    const moved = log.find(
      ({ type, ...event }) => type === 'state.changed' && 'to' in event && event.to === rewound.to,
    );
    const changes = [
      { at: moved?.ts ?? '', path: 'in the turn that led there', undone: false },
      { at: log.at(-1)?.ts ?? '', path: 'since the rewind', undone: false },
    ] as readonly Partial<JournalEntry>[] as readonly JournalEntry[];
    expect(filesSince(underWay, rewound.to, changes)).toEqual(changes.map(({ path }) => path));
    expect(filesSince(foldStory(RUN_ID, log), rewound.to, changes)).toEqual(['since the rewind']);
  });
});
