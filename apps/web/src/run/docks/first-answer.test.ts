import type { Question } from '@crewagent/protocol/tools';
import { describe, expect, it } from 'vitest';
import { firstAnswer, isAnswered } from './first-answer.ts';

const form = (schema: Question['schema']): Question => ({ id: 'f', prompt: 'F', type: 'form', schema });

describe('the answer to a form', () => {
  it('[U123] has no where a box that must be answered is off, and nothing else beforehand', () => {
    const properties = { agrees: { type: 'boolean' }, remote: { type: 'boolean' }, lead: { type: 'string' } };
    const question = form({ required: ['agrees', 'lead'], properties });
    expect(firstAnswer(question)).toEqual({ agrees: false });
    expect(isAnswered(question, { agrees: false })).toBe(false);
    expect(isAnswered(question, { agrees: false, lead: 'Ada' })).toBe(true);
  });

  it('[U123] is not missing what has no field, except where it is written as JSON', () => {
    const required = ['lead', 'toString'];
    expect(isAnswered(form({ required, properties: { lead: {} } }), { lead: 'Ada' })).toBe(true);
    expect(isAnswered(form({ required }), { lead: 'Ada' })).toBe(false);
    expect(isAnswered(form({ required }), { lead: 'Ada', toString: 1 })).toBe(true);
  });

  it('[U123] is none while it is no object', () => {
    expect(isAnswered(form({}), '{ "a": ')).toBe(false);
    expect(isAnswered(form({}), {})).toBe(true);
  });
});
