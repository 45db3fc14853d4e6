import { findAnswerIssue } from '@crewagent/protocol/answers';
import { type Question, questionSchema } from '@crewagent/protocol/tools';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { placeholderAnswers } from './person.ts';

it('[X1] a choice gets its first option, a confirmation yes, a form its fields', () => {
  const schema = {
    type: 'object',
    properties: {
      age: { type: 'integer' },
      kind: { enum: ['x', 'y'] },
      isNew: { type: 'boolean' },
      tags: { type: 'array' },
      place: { type: 'object' },
      free: {},
    },
  };
  const questions: Question[] = [
    { id: 'name', prompt: '?', type: 'text' },
    { id: 'size', prompt: '?', type: 'choice', options: ['small', 'large'] },
    { id: 'days', prompt: '?', type: 'multi', options: ['mon', 'tue'] },
    { id: 'sure', prompt: '?', type: 'confirm' },
    { id: 'more', prompt: '?', type: 'form', schema },
    { id: 'bare', prompt: '?', type: 'form' },
  ];
  expect(placeholderAnswers(questions)).toEqual({
    name: 'Placeholder answer to name',
    size: 'small',
    days: ['mon'],
    sure: true,
    more: { age: 1, kind: 'x', isNew: true, tags: [], place: {}, free: 'Placeholder answer to free' },
    bare: {},
  });
});

it('[X1] every question gets a valid answer', () => {
  const question = fc.record({
    id: fc.string({ minLength: 1 }),
    prompt: fc.string({ minLength: 1 }),
    type: fc.constantFrom('text', 'choice', 'multi', 'confirm', 'form'),
    options: fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
    schema: fc.dictionary(fc.constantFrom('type', 'properties', '__proto__'), fc.jsonValue()),
  });
  fc.assert(
    fc.property(fc.uniqueArray(question, { selector: ({ id }) => id }), (drafts) => {
      const questions = drafts.map((draft) => questionSchema.parse(draft));
      expect(findAnswerIssue(questions, placeholderAnswers(questions))).toBeUndefined();
    }),
  );
});
