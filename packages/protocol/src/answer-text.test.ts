import { describe, expect, it } from 'vitest';
import { toAnswerText } from './answer-text.ts';

const WORDS = { yes: 'Yes', no: 'No', skipped: 'Skipped', empty: 'None' };
const FORM = { properties: { budget: { title: 'Budget in EUR', type: 'number' }, isFixed: {} } };

describe('an answer as text', () => {
  it.each<[answer: unknown, text: string]>([
    ['', 'None'],
    ['Larder', 'Larder'],
    [true, 'Yes'],
    [false, 'No'],
    [null, 'Skipped'],
    [['Customers', 'Staff'], 'Customers, Staff'],
    [[], 'None'],
    [7, '7'],
    [{}, 'None'],
    [{ budget: 1000, isFixed: false }, 'Budget in EUR: 1000\nisFixed: No'],
    [{ constructor: ['a', 'b'], more: { deep: 1 } }, 'constructor: a, b\nmore: {"deep":1}'],
  ])('[U33] %j is %j', (answer, text) => {
    expect(toAnswerText({ schema: FORM }, answer, WORDS)).toBe(text);
  });
});
