import { SKIPPED } from '@crewagent/protocol/answers';
import type { Question } from '@crewagent/protocol/tools';
import { describe, expect, it } from 'vitest';
import { withMention, withoutMention } from './attach-to-answer.ts';

const PATH = '@project/attachments/a.png';
const toQuestion = (type: Question['type']): Question => ({
  id: 'q',
  prompt: '?',
  type,
  options: ['red', 'blue'],
});

describe('a file for an answer', () => {
  it.each([
    ['text', '', `${PATH} `],
    ['text', 'this one:', `this one: ${PATH} `],
    ['text', SKIPPED, `${PATH} `],
    ['choice', 'red', `${PATH} `],
    ['choice', 'green', `green ${PATH} `],
    ['confirm', true, `${PATH} `],
    ['multi', ['red'], ['red', `${PATH} `]],
    ['multi', ['red', 'own'], ['red', `own ${PATH} `]],
    ['form', {}, undefined],
  ] as const)('is mentioned in what the person wrote: %s, %j', (type, before, after) => {
    const next = withMention(toQuestion(type), before, PATH);
    expect(next).toEqual(after);
    if (typeof next === 'string') expect(withoutMention(next, PATH)).not.toContain(PATH);
  });
});
