import { ApiError } from '@crewagent/protocol/api/client';
import { ERRORS } from '@crewagent/protocol/errors';
import { ZodError } from '@crewagent/protocol/zod';
import { afterEach, describe, expect, it } from 'vitest';
import { i18n } from '../../i18n/i18n.ts';
import { en } from '../../i18n/texts/en/en.ts';
import { zhCn } from '../../i18n/texts/zh-CN/zh-cn.ts';
import { type ErrorOrCode, toErrorLine, toErrorTexts } from './error-texts.ts';

const now = () => ({ t: i18n.getFixedT(i18n.language), i18n });
const wordsOf = (issue: ErrorOrCode) => toErrorTexts(issue, now());
const lineOf = (issue: ErrorOrCode) => toErrorLine(issue, now());

const locked = new ApiError(
  409,
  { code: 'RUN_LOCKED', message: 'Process 7 is working on this run; stop it first.', details: { pid: 7 } },
  'POST /runs/:runId/resume',
);

afterEach(() => i18n.changeLanguage('en'));

describe('the words of a fault', () => {
  it('[U150] are there for everything a person can mend, in both languages', () => {
    const codes = Object.entries(ERRORS).flatMap(([code, { fixableBy }]) =>
      fixableBy === 'user' ? [code] : [],
    );
    expect(codes.length).toBeGreaterThan(50);
    for (const code of [...codes, 'INTERNAL', 'NOT_REACHED', 'NOT_UNDERSTOOD']) {
      const [english, chinese] = [en, zhCn].map(
        ({ problem }) => (problem as Record<string, { title: string; advice: string }>)[code],
      );
      expect([code, english?.title, chinese?.title, chinese?.advice]).toEqual([
        code,
        expect.stringMatching(/^[A-Z].*\.$/),
        expect.stringMatching(/。$/),
        expect.stringMatching(/。$/),
      ]);
    }
  });

  it('[U151] are what, why and what now, with the code, the call and its values for those who ask', () => {
    expect(wordsOf(locked)).toMatchObject({
      title: 'It is open in another process.',
      why: 'Process 7 is working on this run; stop it first.',
      details: 'RUN_LOCKED · 409\nPOST /runs/:runId/resume\n{\n  "pid": 7\n}',
    });
  });

  it('[U152] are of the language they are read in, and the sentence of the server is marked as English', async () => {
    expect(wordsOf(locked).whyLanguage).toBeUndefined();
    await i18n.changeLanguage('zh-CN');
    expect(wordsOf(locked)).toMatchObject({
      title: zhCn.problem.RUN_LOCKED.title,
      why: 'Process 7 is working on this run; stop it first.',
      whyLanguage: 'en',
      advice: zhCn.problem.RUN_LOCKED.advice,
    });
  });

  it('[U153] on one line are the sentence alone for who reads English, and what it is before it for others', async () => {
    expect(lineOf(locked)).toBe('Process 7 is working on this run; stop it first.');
    await i18n.changeLanguage('zh-CN');
    expect(lineOf(locked)).toBe(
      `${zhCn.problem.RUN_LOCKED.title}Process 7 is working on this run; stop it first.`,
    );
  });

  it.each([
    'Failed to fetch',
    'Load failed',
    'NetworkError when attempting to fetch resource.',
    'network error',
    'The connection has ended.',
  ])('[U128] say that the program cannot be reached: %s', (message) => {
    expect(wordsOf(new TypeError(message))).toMatchObject({
      title: en.problem.NOT_REACHED.title,
      why: undefined,
      details: `NOT_REACHED\n${message}`,
    });
    expect(lineOf(new TypeError(message))).toBe(
      'CrewAgent can’t be reached. If CrewAgent was closed, start it again.',
    );
  });

  it('[U154] say of an answer that cannot be read what helps, and no word of its shape', () => {
    const misshapen = new ZodError([
      { code: 'custom', path: ['runs', 0], message: 'Invalid input', input: undefined },
    ]);
    expect(wordsOf(misshapen)).toMatchObject({ title: en.problem.NOT_UNDERSTOOD.title, why: undefined });
    const wordless = new ApiError(502, { code: 'HTTP_ERROR', message: 'It answered 502.' });
    expect(wordsOf(wordless)).toMatchObject({
      title: en.problem.NOT_UNDERSTOOD.title,
      why: 'It answered 502.',
      details: 'HTTP_ERROR · 502',
    });
  });

  it('[U128] are the server’s own where it said something, and a mistake of the page is none of the connection', () => {
    const unknown = new ApiError(409, { code: 'BUSY', message: 'It is busy.' });
    expect(wordsOf(unknown)).toMatchObject({ title: 'This didn’t work.', why: 'It is busy.' });
    expect(lineOf(new TypeError('x is undefined'))).toBe('x is undefined');
    expect(wordsOf('A word.')).toMatchObject({ why: 'A word.', details: undefined });
  });

  it('[U7] hold no control or bidi character of the text they quote', () => {
    const hostile = new ApiError(404, {
      code: 'FILE_NOT_FOUND',
      message: 'No "a\u202egnp.exe" \u001b[31mthere.',
    });
    expect(wordsOf(hostile).why).toBe('No "a\ufffdgnp.exe" there.');
    expect(lineOf(hostile)).toBe('No "a\ufffdgnp.exe" there.');
  });
});
