import { describe, expect, it } from 'vitest';
import { findAnswerIssue, parseAnswer, parseAnswers } from './answers.ts';
import type { Question } from './tools.ts';

const menu: Question = {
  id: 'next',
  prompt: 'What next?',
  type: 'choice',
  options: ['[A] Advanced elicitation', '[P] Party mode', '[C] Continue', '[CX] Cancel'],
};
const plain: Question = {
  id: 'size',
  prompt: 'Size?',
  type: 'choice',
  options: ['small', 'medium', 'most', '创建 PRD'],
};

describe('answers to a choice', () => {
  it.each([
    ['C', '[C] Continue'],
    [' c ', '[C] Continue'],
    ['[c]', '[C] Continue'],
    ['［Ｃ］', '[C] Continue'],
    ['cx', '[CX] Cancel'],
    ['3', '[C] Continue'],
    ['cont', '[C] Continue'],
    ['[C] cont', '[C] Continue'],
    ['party mode', '[P] Party mode'],
    ['[p] PARTY  mode', '[P] Party mode'],
    ['no, show me the draft again', 'no, show me the draft again'],
  ])('[T40] %j means %s', (text, expected) => {
    expect(parseAnswer(menu, text)).toBe(expected);
    expect(findAnswerIssue([menu], { next: parseAnswer(menu, text) })).toBeUndefined();
  });

  it.each([
    ['S', 'small'],
    ['me', 'medium'],
    ['m', 'm'],
    ['创建PRD', '创建 PRD'],
    ['创建', '创建 PRD'],
    ['B) large', 'B) large'],
  ])('[T40] without codes %j means %s', (text, expected) => {
    expect(parseAnswer(plain, text)).toBe(expected);
  });

  it('[T40] a code before a bracket, a dot or a colon counts too', () => {
    const options = ['A) Keep', 'B. Drop', 'C: Wait'];
    const answers = ['a', 'b', '[C]', 'drop'].map((text) => parseAnswer({ ...plain, options }, text));
    expect(answers).toEqual(['A) Keep', 'B. Drop', 'C: Wait', 'B. Drop']);
  });

  it('[T40] the text of an option takes precedence over codes and numbers', () => {
    const options = ['2', '1', '[X] 3'];
    expect(['2', '1', '3'].map((text) => parseAnswer({ ...plain, options }, text))).toEqual([
      '2',
      '1',
      '[X] 3',
    ]);
  });

  it('[T40] empty text, and a number without an option, are rejected', () => {
    for (const text of ['', '  ', '9', '0'])
      expect(findAnswerIssue([plain], { size: parseAnswer(plain, text) })).toMatch(/must be "small" or/);
  });

  it('[T40] several options are chosen by codes, numbers and names, or answered in free text', () => {
    const multi: Question = { ...menu, type: 'multi' };
    const all = ['A, c', '1，2', 'party、cont', 'A, something else', 'neither, really', ''].map((text) =>
      parseAnswer(multi, text),
    );
    expect(all).toEqual([
      ['[A] Advanced elicitation', '[C] Continue'],
      ['[A] Advanced elicitation', '[P] Party mode'],
      ['[P] Party mode', '[C] Continue'],
      ['[A] Advanced elicitation', 'something else'],
      ['neither, really'],
      [],
    ]);
    for (const next of all) expect(findAnswerIssue([multi], { next })).toBeUndefined();
    expect(findAnswerIssue([multi], { next: ['9'] })).toMatch(/several are possible/);
  });

  it('[T40] yes or no may be answered in free text', () => {
    const sure: Question = { id: 'sure', prompt: 'Sure?', type: 'confirm' };
    expect(['Y', '不', 'only the first part'].map((text) => parseAnswer(sure, text))).toEqual([
      true,
      false,
      'only the first part',
    ]);
    expect(findAnswerIssue([sure], { sure: 'only the first part' })).toBeUndefined();
    expect(findAnswerIssue([sure], { sure: '' })).toMatch(/must be yes or no/);
  });

  it('[T40] any question may be skipped, and a form answered in words that are no broken JSON', () => {
    const form: Question = { id: 'team', prompt: 'Who?', type: 'form', schema: {} };
    const sure: Question = { id: 'sure', prompt: 'Sure?', type: 'confirm' };
    expect(findAnswerIssue([form, sure, plain], { team: null, sure: null, size: null })).toBeUndefined();
    expect(findAnswerIssue([form], { team: 'nobody yet' })).toBeUndefined();
    expect(findAnswerIssue([form], { team: '{ "lead": ' })).toMatch(/must be a JSON object/);
    expect(findAnswerIssue([form], {})).toMatch(/is missing/);
  });

  it('[T40] text for several questions: one line each, else one answer to all', () => {
    const name: Question = { id: 'name', prompt: 'Name?', type: 'text' };
    expect(parseAnswers([name, menu], 'Nova\nC')).toEqual({ name: 'Nova', next: '[C] Continue' });
    expect(parseAnswers([name, menu], 'you decide')).toEqual({ '*': 'you decide' });
    expect(findAnswerIssue([name, menu], { '*': 'you decide' })).toBeUndefined();
    expect(findAnswerIssue([name, menu], { '*': '' })).toMatch(/is empty/);
    const source = { server: 's', message: 'm', label: 'l' };
    expect(parseAnswers([{ ...name, source }, menu], 'you decide')).toEqual({ name: 'you decide' });
    expect(parseAnswers([], 'x')).toEqual({});
  });
});
