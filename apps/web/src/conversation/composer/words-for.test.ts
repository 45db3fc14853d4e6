import { toFileAction } from '@crewagent/protocol/described-actions';
import type { ItemOf, PendingItem } from '@crewagent/protocol/story/items';
import type { Question } from '@crewagent/protocol/tools';
import { describe, expect, it } from 'vitest';
import { wordsFor } from './words-for.ts';

const entry = { seq: 1, ts: '', callId: 'c' } as const;
const question = (type: Question['type'], id = 'q'): Question => ({ id, prompt: '?', type });
const asks = (...questions: Question[]): ItemOf<'question'> => ({
  ...entry,
  kind: 'question',
  questions,
});
const approval: PendingItem = {
  ...entry,
  kind: 'approval',
  tool: 'fs.write',
  action: toFileAction('fs.write', '@project/a.md', '', 'written'),
};

describe('a typed message', () => {
  it('[U33] is for the agent if nothing is asked, and answers a single text question', () => {
    expect(wordsFor(undefined)).toBe('agent');
    expect(wordsFor(asks(question('text')))).toBe('question');
  });

  it('[U33] is for nobody if there are several questions, a question of another type, or an approval', () => {
    expect(wordsFor(asks(question('text', 'a'), question('text', 'b')))).toBe('nobody');
    for (const type of ['choice', 'multi', 'confirm', 'form'] as const)
      expect(wordsFor(asks(question(type)))).toBe('nobody');
    expect(wordsFor(approval)).toBe('nobody');
  });
});
