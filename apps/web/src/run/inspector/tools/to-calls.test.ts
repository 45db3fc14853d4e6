import { foldStory } from '@crewagent/protocol/story/fold-story';
import { expectedEffect } from '@crewagent/protocol/tool-effects';
import { describe, expect, it } from 'vitest';
import { eventful, RUN_ID, toLog } from '../../../testing/made-events.ts';
import {
  CALL_KINDS,
  CALL_OUTCOMES,
  callsOf,
  filterCalls,
  kindOf,
  outcomeOf,
  toCallRows,
} from './to-calls.ts';

const calls = callsOf(foldStory(RUN_ID, toLog(RUN_ID, eventful)));
const ALL = { kind: undefined, outcome: undefined, text: '' };

describe('calls', () => {
  it('[U29] have a kind by what they access, not only by their name', () => {
    expect(kindOf({ effect: expectedEffect('fs.search') })).toBe('read');
    expect(kindOf({ effect: expectedEffect('fs.write', '@project/a.md') })).toBe('write');
    expect(kindOf({ effect: expectedEffect('fs.write', '@state/workflow.md') })).toBe('state');
    expect(kindOf({ effect: expectedEffect('runtime.complete_node') })).toBe('state');
    expect(kindOf({ effect: expectedEffect('ui.ask_user') })).toBe('ask');
    expect(kindOf({ effect: expectedEffect('server.tool') })).toBe('other');
  });

  it('[U29] are all listed, also those that the timeline groups or hides', () => {
    const asked = eventful.flatMap((fact) =>
      fact.type === 'message.completed' ? (fact.toolCalls ?? []) : [],
    );
    expect(calls.map(({ callId }) => callId)).toEqual(asked.map(({ id }) => id));
  });

  it('[U29] each have one kind and one outcome', () => {
    expect(CALL_KINDS.flatMap((kind) => filterCalls(calls, { ...ALL, kind })).length).toBe(calls.length);
    expect(CALL_OUTCOMES.flatMap((outcome) => filterCalls(calls, { ...ALL, outcome })).length).toBe(
      calls.length,
    );
    for (const call of filterCalls(calls, { ...ALL, kind: 'write', outcome: 'ok' }))
      expect([kindOf(call), outcomeOf(call)]).toEqual(['write', 'ok']);
  });

  it('[U29] are found by a part of their path, in any case', () => {
    const found = filterCalls(calls, { ...ALL, text: ' BRIEF ' });
    expect(found.length).toBeGreaterThan(0);
    for (const { path, arguments: text } of found) expect(path ?? text).toContain('brief');
  });

  it('[U29] are listed under their node', () => {
    const rows = toCallRows(calls);
    expect(rows[0]).toMatchObject({ kind: 'node', nodeId: calls[0]?.nodeId });
    expect(rows.filter(({ kind }) => kind === 'call')).toHaveLength(calls.length);
  });
});
