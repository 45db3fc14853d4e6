import { detectLanguage } from '@crewagent/protocol/languages';
import { fileUse } from '@crewagent/protocol/texts/en/file-use';
import { afterEach, describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatCompact,
  formatCost,
  formatDuration,
  formatNoticeable,
  formatNumber,
} from './format.ts';
import { i18n, toLocale } from './i18n.ts';
import { author } from './texts/en/author.ts';
import { bundles } from './texts/en/bundles.ts';
import { context } from './texts/en/context.ts';
import { en } from './texts/en/en.ts';
import { fields } from './texts/en/fields.ts';
import { forks } from './texts/en/forks.ts';
import { machine } from './texts/en/machine.ts';
import { models } from './texts/en/models.ts';
import { overview } from './texts/en/overview.ts';
import { packages } from './texts/en/packages.ts';
import { replay } from './texts/en/replay.ts';
import { settings } from './texts/en/settings.ts';
import { team } from './texts/en/team.ts';
import { zhCn } from './texts/zh-CN/zh-cn.ts';

function textsOf(part: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(part).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'string'
        ? [[path + key, value] as const]
        : [...textsOf(value as object, `${path}${key}.`)],
    ),
  );
}

const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name).sort();

describe('texts', () => {
  const [english, chinese] = [
    textsOf({
      ...en,
      ...author,
      ...context,
      ...fileUse,
      ...bundles,
      ...fields,
      ...forks,
      ...models,
      ...overview,
      ...packages,
      ...replay,
      ...machine,
      ...settings,
      ...team,
    }),
    textsOf(zhCn),
  ];

  it('[U5] exist in both languages', () => {
    expect([...chinese.keys()].sort()).toEqual(
      [...english.keys()].filter((key) => !key.endsWith('_one')).sort(),
    );
  });

  it('[U5] use the same placeholders in both languages', () => {
    for (const [key, text] of english) {
      // Singular forms may omit the number.
      if (key.endsWith('_one')) continue;
      expect([key, placeholders(chinese.get(key) ?? '')]).toEqual([key, placeholders(text)]);
    }
  });

  it('[U5] are all translated', () => {
    const hasWords = (text: string): boolean => /[a-z]{3}/i.test(text.replace(/\{\{.*?\}\}/g, ''));
    const same = [...english].filter(([key, text]) => chinese.get(key) === text && hasWords(text));
    expect(same.map(([key]) => key)).toEqual([]);
  });
});

describe('the language', () => {
  it.each([
    [['zh-TW', 'en'], 'zh-CN'],
    [['de', 'zh'], 'zh-CN'],
    [['en-GB', 'zh'], 'en'],
    [['fr'], 'en'],
    [[], 'en'],
  ] as const)('[U5] for %j is %s', (wanted, language) => {
    expect(detectLanguage(wanted)).toBe(language);
  });

  it.each([
    ['en', ['de', 'en-GB', 'en-US'], 'en-GB'],
    ['en', ['en-US@posix', 'fr'], 'en'],
    ['zh-CN', ['zh-TW', 'zh-SG'], 'zh-SG'],
    ['zh-CN', ['en-GB'], 'zh-CN'],
  ] as const)('[U5] %s with preferred languages %j formats dates as %s', (language, wanted, locale) => {
    expect(toLocale(language, wanted)).toBe(locale);
  });

  afterEach(() => i18n.changeLanguage('en'));

  it('[U5] also formats numbers, sizes and times', async () => {
    expect([
      formatNumber(12_345),
      formatCost(0.0021),
      formatBytes(1_234_567),
      formatDuration(125_000),
    ]).toEqual(['12,345', '$0.0021', '1.2\u00a0MB', '2m 5s']);
    await i18n.changeLanguage('zh-CN');
    expect([953, 3_100, 125_000].map(formatDuration)).toEqual(['953 毫秒', '3.1 秒', '2 分钟 5 秒']);
    expect(formatCompact(13_000)).toBe('1.3 万');
  });

  it('omits durations too short to notice', () => {
    expect([undefined, 0, 99, 100, 1_500].map(formatNoticeable)).toEqual([
      undefined,
      undefined,
      undefined,
      '100ms',
      '1.5s',
    ]);
  });
});
