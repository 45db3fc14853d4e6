import type { Pending, StopPoint } from '@crewagent/core';
import { toFileAction } from '@crewagent/protocol/described-actions';
import type { ReasonCode } from '@crewagent/protocol/reason-codes';
import type { Question } from '@crewagent/protocol/tools';
import { describe, expect, it } from 'vitest';
import { acceptInput, toAnswers, toNamedAnswers } from './accept-input.ts';

const name: Question = { id: 'name', prompt: 'Name?', type: 'text' };
const goal: Question = { id: 'goal', prompt: 'Goal?', type: 'text' };
const size: Question = { id: 'size', prompt: 'Size?', type: 'choice', options: ['small', 'large'] };
const sure: Question = { id: 'sure', prompt: 'Sure?', type: 'confirm' };

describe('acceptInput', () => {
  it.each<[string, Question[], string, unknown]>([
    ['is the answer to one question', [name], ' Nova ', { name: ' Nova ' }],
    ['stays a text even if it is JSON', [name], '{"name":"x"}', { name: '{"name":"x"}' }],
    ['may be the number of an option', [size], '2', { size: 'large' }],
    ['may be yes', [sure], 'yes', { sure: true }],
    [
      'answers several by their ids',
      [name, size],
      '{"name":"N","size":"small"}',
      { name: 'N', size: 'small' },
    ],
    ['leaves texts it does not name empty', [name, goal], '{"goal":"g"}', { name: '', goal: 'g' }],
    ['answers several together', [name, goal], 'Nova', { '*': 'Nova' }],
    ['with unknown ids is taken by its names', [name, goal], '{"other":1}', { other: 1, name: '', goal: '' }],
  ])('[C11] %s', (_, questions, text, expected) => {
    expect(toAnswers(questions, text)).toEqual(expected);
  });

  it('[C11] answers questions in order with as many texts', async () => {
    const stop: StopPoint = { phase: 'WaitingUser', reason: { code: 'question', message: '' } };
    const pending: Pending = { kind: 'question', callId: 'c', questions: [name, goal] };
    expect(acceptInput(stop, pending, ['Nova', 'to shine', 'more'])?.count).toBe(2);
    expect(acceptInput(stop, pending, ['Nova'])?.count).toBe(1);
    expect(() => acceptInput(stop, pending, ['{"nme":"Nova"}'])).toThrow(/no question "nme"/);
  });

  it('[C11] rejects an invalid answer with a message', () => {
    const stop: StopPoint = { phase: 'WaitingUser', reason: { code: 'question', message: '' } };
    const pending = { kind: 'question', callId: 'c', questions: [size] } as const;
    expect(() => acceptInput(stop, pending, ['9'])).toThrow(
      'The answer to "size" must be "small" or "large", or in your own words.',
    );
  });

  it('[C11] does not approve a change and does not lift a limit', () => {
    const approval = {
      kind: 'approval',
      callId: 'c',
      tool: 'fs.write',
      action: toFileAction('fs.write', '@project/x', '', 'written'),
    } as const;
    const stop = (code: ReasonCode): StopPoint => ({ phase: 'WaitingUser', reason: { code, message: '' } });
    expect(acceptInput(stop('approval'), approval, ['yes'])).toBeUndefined();
    expect(acceptInput(stop('ENGINE_MAX_TURNS_EXCEEDED'), undefined, ['yes'])).toBeUndefined();
    expect(acceptInput({ phase: 'Completed' }, undefined, ['yes'])).toBeUndefined();
  });

  it('[C17] parses answers by id according to their question', () => {
    const given = new Map([
      ['size', '1'],
      ['sure', 'no'],
    ]);
    expect(toNamedAnswers([name, size, sure], given)).toEqual({ name: '', size: 'small', sure: false });
    expect(toNamedAnswers([name], new Map([['nmae', 'x']]))).toEqual({ name: '', nmae: undefined });
  });
});
