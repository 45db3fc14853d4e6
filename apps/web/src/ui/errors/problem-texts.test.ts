import type { Problem } from '@crewagent/protocol/story/describe-problem';
import { afterEach, describe, expect, it } from 'vitest';
import { i18n } from '../../i18n/i18n.ts';
import { zhCn } from '../../i18n/texts/zh-CN/zh-cn.ts';
import { toProblemLine, toProblemTexts } from './error-texts.ts';

const textsOf = (problem: Problem) => toProblemTexts(problem, { t: i18n.getFixedT(i18n.language), i18n });

const message = '20 turns went by at this step without an end.';
const turns = { code: 'ENGINE_MAX_TURNS_EXCEEDED', message, details: { maxTurns: 20 } };

afterEach(() => i18n.changeLanguage('en'));

describe('problem texts', () => {
  it('[U5] are translated if code and values contain everything', async () => {
    expect(textsOf(turns).why).toBe('The limit is 20 turns per step.');
    await i18n.changeLanguage('zh-CN');
    expect(textsOf(turns)).toMatchObject({ why: '每步最多 20 轮。', whyLanguage: undefined });
    const stopped = textsOf({ code: 'stopped', message: 'The run was stopped.' });
    expect([stopped.title, stopped.why]).toEqual([zhCn.problem.stopped.title, undefined]);
  });

  it('[U5] keep the message of the log if a value is missing, or if it contains more', async () => {
    expect(textsOf({ ...turns, details: {} }).why).toBe(message);
    await i18n.changeLanguage('zh-CN');
    const refused = { code: 'LLM_AUTH_FAILED', message: 'It refused the key (401).' };
    expect(textsOf(refused)).toMatchObject({ why: refused.message, whyLanguage: 'en' });
    expect(toProblemLine(textsOf(refused))).toBe(`${zhCn.problem.LLM_AUTH_FAILED.title}${refused.message}`);
  });

  it('name both keys when another one is used', async () => {
    const used = {
      code: 'OTHER_KEY_USED',
      message: 'It refused the key (401). Key "private" is used instead of "work".',
      details: { from: 'work', to: 'private', cause: 'LLM_AUTH_FAILED' },
    };
    expect(textsOf(used)).toMatchObject({
      title: 'Another API key is used now.',
      why: 'The key “work” was refused or has no quota left; “private” is used instead.',
    });
    await i18n.changeLanguage('zh-CN');
    expect(textsOf(used).why).toBe('密钥“work”被拒绝或额度已用完，现在使用“private”。');
  });

  it('[U5] quote the provider, and only that in its own words', async () => {
    const details = { status: 401, host: 'api.test', quote: 'Incorrect key' };
    const refused = { code: 'LLM_AUTH_FAILED', message: 'It refused the key (401).', details };
    expect(textsOf(refused).why).toBe('api.test answered: “Incorrect key”');
    await i18n.changeLanguage('zh-CN');
    expect(textsOf(refused)).toMatchObject({
      why: 'api.test 返回：“Incorrect key”',
      whyLanguage: undefined,
    });
  });

  it('[U5] take nothing but values from what came with a code', () => {
    const hostile = { maxTurns: 20, lng: 'zh-CN', context: 'x', defaultValue: 'y', count: 1 };
    expect(textsOf({ ...turns, details: hostile }).why).toBe('The limit is 20 turns per step.');
  });

  it('[U5] for an unknown code say that it needs attention, with its message', () => {
    const unknown = textsOf({ code: 'a.new.code', message: 'Something is new.' });
    expect(unknown).toMatchObject({ isKnown: false, what: undefined, why: 'Something is new.' });
  });
});
