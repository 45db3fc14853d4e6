import { EMPTY_CONVERSATION_STATE } from '@crewagent/protocol/conversation-state';
import type { RunPhase } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { describe, expect, it } from 'vitest';
import { chooseFromMenu } from './choose-from-menu.ts';

const agent = {
  agentId: 'writer',
  name: 'Writer',
  title: 'Writes stories',
  package: { hash: 'a'.repeat(64), name: 'kitchen', version: '1.0.0' },
};

describe('choosing from the menu', () => {
  it.each([
    ['sends the number while the menu is active', 'WaitingUser', false, ['2']],
    ['opens the menu first while something runs', 'Running', false, ['/menu', '2']],
    ['sends the number if the menu was already opened', 'Running', true, ['2']],
  ] as const)('[U10] %s', async (_, phase, isChoosing, expected) => {
    expect(await sentFor(phase, isChoosing)).toEqual(expected);
  });
});

async function sentFor(phase: RunPhase, isChoosing: boolean): Promise<readonly string[]> {
  const sent: string[] = [];
  const choosing = isChoosing ? { rest: undefined } : undefined;
  await chooseFromMenu({
    api: { input: async (_, text) => void sent.push(text) },
    workId: 'c',
    picture: {
      state: { ...EMPTY_CONVERSATION_STATE, kind: 'agent', agent, choosing },
      active: { status: toStatus({ phase }), pending: undefined },
    },
    number: 2,
  });
  return sent;
}
