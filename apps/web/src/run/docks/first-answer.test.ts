import type { Question } from '@crewagent/protocol/tools';
import { describe, expect, it } from 'vitest';
import { firstAnswer, isAnswered, isOptional } from './first-answer.ts';

const form = (schema: Question['schema']): Question => ({ id: 'f', prompt: 'F', type: 'form', schema });

describe('the answer to a form', () => {
  it('[U33] is false for a required checkbox that is off, and empty otherwise', () => {
    const properties = { agrees: { type: 'boolean' }, remote: { type: 'boolean' }, lead: { type: 'string' } };
    const question = form({ required: ['agrees', 'lead'], properties });
    expect(firstAnswer(question)).toEqual({ agrees: false });
    expect(isAnswered(question, { agrees: false })).toBe(false);
    expect(isAnswered(question, { agrees: false, lead: 'Ada' })).toBe(true);
  });

  it('[U33] does not require properties without a field, unless it is written as JSON', () => {
    const required = ['lead', 'toString'];
    expect(isAnswered(form({ required, properties: { lead: {} } }), { lead: 'Ada' })).toBe(true);
    expect(isAnswered(form({ required }), { lead: 'Ada' })).toBe(false);
    expect(isAnswered(form({ required }), { lead: 'Ada', toString: 1 })).toBe(true);
  });

  it('[U33] is incomplete while it is not an object', () => {
    expect(isAnswered(form({}), '{ "a": ')).toBe(false);
    expect(isAnswered(form({}), {})).toBe(true);
  });
});

it.each([
  ['Anything else? (optional)', true],
  ['Optional: a name', true],
  ['补充说明（可选）', true],
  ['Which option?', false],
  ['Is it optionally typed?', false],
])('[U33] “%s” may stay empty: %s', (prompt, optional) => {
  expect(isOptional({ prompt })).toBe(optional);
});

describe('the answer to a multiple choice', () => {
  const question: Question = { id: 'm', prompt: 'M', type: 'multi', options: ['Tests', 'Docs'] };

  it.each([
    [firstAnswer(question), false],
    [[''], false],
    [['Docs'], true],
    [['Docs', ''], true],
    [['Costs'], true],
    [null, true],
  ])('[U33] is never “none” without a choice: %j', (value, isComplete) => {
    expect(isAnswered(question, value)).toBe(isComplete);
  });
});
