import { foldStory } from '@crewagent/protocol/story/fold-story';
import { describe, expect, it } from 'vitest';
import { helloBranchLog } from '../../../testing/logs.ts';
import { eventful, RUN_ID, toLog } from '../../../testing/made-events.ts';
import { toNodeDetails } from './to-node-details.ts';

const view = foldStory('x', helloBranchLog);

describe('the details of a node', () => {
  it('contain its turns, each with its calls, and no call of another node', () => {
    const turns = view.nodes.flatMap(({ id }) => toNodeDetails(view, id).turns);
    const calls = turns.flatMap((turn) => turn.calls.map(({ callId }) => callId));
    const all = view.timeline.flatMap((item) => (item.kind === 'tool' ? [item.callId] : []));
    expect(calls.toSorted()).toEqual(all.toSorted());
    expect(turns.length).toBe(view.turns);
  });

  it('sum up all its visits', () => {
    const sum = view.nodes.reduce((tokens, { id }) => tokens + toNodeDetails(view, id).usage.promptTokens, 0);
    expect(sum).toBe(view.usage.promptTokens);
  });

  it('contain its transitions with their reasons, and the rejected ones', () => {
    const run = foldStory(RUN_ID, toLog(RUN_ID, eventful));
    const { ways } = toNodeDetails(run, 'decide-02-project-type');
    expect(ways.map(({ to, kind }) => [to, kind])).toContainEqual(['step-03b-brownfield', 'taken']);
    expect(ways.find(({ kind }) => kind === 'taken')?.reason).toBeTruthy();
    const refused = run.nodes.flatMap(({ id }) =>
      toNodeDetails(run, id).ways.filter(({ kind }) => kind === 'refused'),
    );
    expect(refused.map(({ to }) => to)).toEqual(['end-99']);
    expect(refused[0]?.reason).toBeTruthy();
  });

  it('are empty for a node that was not visited', () => {
    expect(toNodeDetails(view, 'nowhere')).toMatchObject({ visits: [], turns: [], ways: [], durationMs: 0 });
  });
});
