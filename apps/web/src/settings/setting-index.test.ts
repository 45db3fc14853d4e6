import { describe, expect, it } from 'vitest';
import { i18n } from '../i18n/i18n.ts';
import { SECTIONS } from './sections.ts';
import { findSettings, wordsOf } from './setting-index.ts';

describe('a setting', () => {
  it.each([
    ['en', 'dark', 'Theme'],
    ['en', 'approval', 'Permissions'],
    ['zh-CN', '夜间', '主题'],
  ] as const)('[U322] is found by other words for it: %s %s', async (language, text, label) => {
    await i18n.changeLanguage(language);
    expect(findSettings(i18n.t, text, SECTIONS)[0]?.label).toBe(label);
  });

  it('[U485] belongs to the words of its section', async () => {
    await i18n.changeLanguage('en');
    expect(wordsOf(i18n.t, 'tools')).toContain('permission');
  });
});
