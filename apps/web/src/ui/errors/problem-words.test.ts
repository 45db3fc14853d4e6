import { afterEach, describe, expect, it } from 'vitest';
import { i18n } from '../../i18n/i18n.ts';
import { zhCn } from '../../i18n/texts/zh-CN/zh-cn.ts';
import { type Problem, toProblemLine, toProblemWords } from './problem-words.ts';

const wordsOf = (problem: Problem) => toProblemWords(problem, { t: i18n.getFixedT(i18n.language), i18n });

const message = '20 turns went by at this step without an end.';
const turns = { code: 'ENGINE_MAX_TURNS_EXCEEDED', message, details: { maxTurns: 20 } };

afterEach(() => i18n.changeLanguage('en'));

describe('the words of a problem', () => {
  it('[U155] are of the page where code and values say all there is', async () => {
    expect(wordsOf(turns).why).toBe('The limit is 20 turns per step.');
    await i18n.changeLanguage('zh-CN');
    expect(wordsOf(turns)).toMatchObject({ why: '每步最多 20 轮。', whyLanguage: undefined });
    const stopped = wordsOf({ code: 'stopped', message: 'The run was stopped.' });
    expect([stopped.title, stopped.why]).toEqual([zhCn.problem.stopped.title, undefined]);
  });

  it('[U155] keep the sentence of the log where a value was not told, or where it says more', async () => {
    expect(wordsOf({ ...turns, details: {} }).why).toBe(message);
    await i18n.changeLanguage('zh-CN');
    const refused = { code: 'LLM_AUTH_FAILED', message: 'It refused the key (401).' };
    expect(wordsOf(refused)).toMatchObject({ why: refused.message, whyLanguage: 'en' });
    expect(toProblemLine(wordsOf(refused))).toBe(`${zhCn.problem.LLM_AUTH_FAILED.title}${refused.message}`);
  });

  it('[U155] take nothing but values from what came with a code', () => {
    const hostile = { maxTurns: 20, lng: 'zh-CN', context: 'x', defaultValue: 'y', count: 1 };
    expect(wordsOf({ ...turns, details: hostile }).why).toBe('The limit is 20 turns per step.');
  });

  it('[U28] say of what is not known that it needs attention, with its sentence', () => {
    const unknown = wordsOf({ code: 'a.new.code', message: 'Something is new.' });
    expect(unknown).toMatchObject({ isKnown: false, what: undefined, why: 'Something is new.' });
  });
});
