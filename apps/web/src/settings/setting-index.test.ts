import { describeField, type FieldShape, fieldAt } from '@crewagent/protocol/describe-fields';
import { settingsSchema } from '@crewagent/protocol/settings';
import { describe, expect, it } from 'vitest';
import { i18n } from '../i18n/i18n.ts';
import { appearanceSchema } from '../state/appearance.ts';
import { findSettings, SECTIONS, settingsOf, wordsOf } from './setting-index.ts';

describe('a setting', () => {
  it.each([
    ['en', 'dark', 'Theme'],
    ['en', 'approval', 'Permissions'],
    ['zh-CN', '夜间', '主题'],
  ] as const)('[U96] is found by other words for it: %s %s', async (language, text, label) => {
    await i18n.changeLanguage(language);
    expect(findSettings(i18n.t, text, SECTIONS)[0]?.label).toBe(label);
  });

  it('[U96] belongs to the words of its section', async () => {
    await i18n.changeLanguage('en');
    expect(wordsOf(i18n.t, 'tools')).toContain('permission');
  });

  const shape = describeField(settingsSchema);
  const shown = SECTIONS.filter((section) => section !== 'appearance').flatMap(settingsOf);

  it('[U87] is shown where it has texts, with a control for its type', () => {
    const types = shown.map((path) => fieldAt(shape, path.split('.'))?.type);
    expect([...new Set(types)].sort()).toEqual(['boolean', 'choice', 'list', 'number', 'text']);
    const appearance = Object.keys(describeField(appearanceSchema).fields ?? {});
    expect(settingsOf('appearance')).toEqual([...appearance, 'sound'].map((name) => `appearance.${name}`));
  });

  it('[U87] has texts, unless a part of the page of its own changes it', () => {
    const elsewhere = 'schemaVersion models modelKeys defaultModel modelFor mcp inputs hooks'.split(' ');
    const all = Object.entries(shape.fields ?? {})
      .filter(([name]) => !elsewhere.includes(name))
      .flatMap(([name, field]) => leavesOf(field, name));
    expect(all.filter((path) => !shown.includes(path))).toEqual(['tools.mcp.allowedServers']);
  });
});

function leavesOf({ fields }: FieldShape, path: string): string[] {
  if (!fields) return [path];
  return Object.entries(fields).flatMap(([name, field]) => leavesOf(field, `${path}.${name}`));
}
