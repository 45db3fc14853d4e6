import { EMPTY_CONVERSATION_STATE } from '@crewagent/protocol/conversation-state';
import type { RunPhase } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { describe, expect, it } from 'vitest';
import { chooseFromMenu, typeDigit } from './agent-menu.tsx';

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

const upTo = (most: number): readonly number[] => Array.from({ length: most }, (_, index) => index + 1);

describe('a number typed in a menu', () => {
  it('[U10] chooses immediately if it can mean only one item', () => {
    expect(typeDigit('', '2', upTo(3))).toEqual({ digits: '2', meant: 2, isSure: true });
    expect(typeDigit('', '7', upTo(3))).toEqual({ digits: '', meant: undefined, isSure: false });
    expect(typeDigit('', '0', upTo(3)).meant).toBeUndefined();
  });

  it('[U10] waits for a second digit if there may be one', () => {
    expect(typeDigit('', '1', upTo(12))).toEqual({ digits: '1', meant: 1, isSure: false });
    expect(typeDigit('1', '2', upTo(12))).toEqual({ digits: '12', meant: 12, isSure: true });
    expect(typeDigit('1', '5', upTo(12))).toEqual({ digits: '5', meant: 5, isSure: true });
  });
});
