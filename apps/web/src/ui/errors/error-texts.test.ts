import { ApiError } from '@crewagent/protocol/api/client';
import { ERRORS } from '@crewagent/protocol/errors';
import * as z from '@crewagent/protocol/zod';
import { afterEach, describe, expect, it } from 'vitest';
import { i18n } from '../../i18n/i18n.ts';
import { en } from '../../i18n/texts/en/en.ts';
import { zhCn } from '../../i18n/texts/zh-CN/zh-cn.ts';
import { type ErrorOrCode, toErrorLine, toErrorTexts } from './error-texts.ts';

const now = () => ({ t: i18n.getFixedT(i18n.language), i18n });
const textsOf = (issue: ErrorOrCode) => toErrorTexts(issue, now());
const lineOf = (issue: ErrorOrCode) => toErrorLine(issue, now());

const locked = new ApiError(
  409,
  { code: 'RUN_LOCKED', message: 'Process 7 is working on this run; stop it first.', details: { pid: 7 } },
  'POST /runs/:runId/resume',
);

afterEach(() => i18n.changeLanguage('en'));

describe('error texts', () => {
  it('[U5] exist for every error a person can fix, in both languages', () => {
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

  it('[U116] contain title, reason and advice, with the code, the call and its values as details', () => {
    expect(textsOf(locked)).toMatchObject({
      title: 'It is open in another process.',
      why: 'Process 7 is working on this run; stop it first.',
      details: 'RUN_LOCKED · 409\nPOST /runs/:runId/resume\n{\n  "pid": 7\n}',
    });
  });

  it('[U5] follow the current language, and mark the message of the server as English', async () => {
    expect(textsOf(locked).whyLanguage).toBeUndefined();
    await i18n.changeLanguage('zh-CN');
    expect(textsOf(locked)).toMatchObject({
      title: zhCn.problem.RUN_LOCKED.title,
      why: 'Process 7 is working on this run; stop it first.',
      whyLanguage: 'en',
      advice: zhCn.problem.RUN_LOCKED.advice,
    });
  });

  it('on one line are the message alone in English, and the title before it in other languages', async () => {
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
  ])('[U116] say that the program is not reachable: %s', (message) => {
    expect(textsOf(new TypeError(message))).toMatchObject({
      title: en.problem.NOT_REACHED.title,
      why: undefined,
      details: `NOT_REACHED\n${message}`,
    });
    expect(lineOf(new TypeError(message))).toBe(
      'CrewAgent can’t be reached. If CrewAgent was closed, start it again: open the app, or run crewagent in a terminal.',
    );
  });

  it('[U116] for a malformed response give advice, and do not mention its shape', () => {
    const misshapen = new z.core.$ZodRealError([
      { code: 'custom', path: ['runs', 0], message: 'Invalid input', input: undefined },
    ]);
    expect(textsOf(misshapen)).toMatchObject({ title: en.problem.NOT_UNDERSTOOD.title, why: undefined });
    const messageless = new ApiError(502, { code: 'HTTP_ERROR', message: 'It answered 502.' });
    expect(textsOf(messageless)).toMatchObject({
      title: en.problem.NOT_UNDERSTOOD.title,
      why: 'It answered 502.',
      details: 'HTTP_ERROR · 502',
    });
  });

  it('[U116] contain the server’s message if there is one; a bug of the page is not reported as a connection error', () => {
    const unknown = new ApiError(409, { code: 'BUSY', message: 'It is busy.' });
    expect(textsOf(unknown)).toMatchObject({ title: 'This didn’t work.', why: 'It is busy.' });
    expect(lineOf(new TypeError('x is undefined'))).toBe('x is undefined');
    expect(textsOf('A word.')).toMatchObject({ why: 'A word.', details: undefined });
  });

  it('[U7] contain no control or bidi character of the text they quote', () => {
    const hostile = new ApiError(404, {
      code: 'FILE_NOT_FOUND',
      message: 'No "a\u202egnp.exe" \u001b[31mthere.',
    });
    expect(textsOf(hostile).why).toBe('No "a\ufffdgnp.exe" there.');
    expect(lineOf(hostile)).toBe('No "a\ufffdgnp.exe" there.');
  });
});
