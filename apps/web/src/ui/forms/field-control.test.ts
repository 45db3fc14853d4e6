import { describeField, fieldAt } from '@crewagent/protocol/describe-fields';
import { settingsSchema } from '@crewagent/protocol/settings';
import { expect, it } from 'vitest';
import { i18n } from '../../i18n/i18n.ts';
import { appearanceSchema } from '../../state/appearance.ts';
import { choicesOf, issueText } from './field-control.tsx';

const SETTINGS = describeField(settingsSchema);

it.each([
  ['limits.maxTurns', 'wrong', 'Enter a whole number of at least 1.'],
  ['limits.maxCostUsd', 'wrong', 'Enter a number greater than 0.'],
  ['tools.fs.maxReadBytes', 'wrong', 'Enter a number greater than 0.'],
  ['models.any.temperature', 'wrong', 'Enter a number from 0 to 2.'],
  ['models.any.prices.input', 'wrong', 'Enter a number of at least 0.'],
  ['models.any.prices.input', 'missing', 'Enter a value.'],
  ['models.any.baseUrl', 'wrong', 'Enter an address such as https://example.com.'],
])('what is said of %s that is %s comes from its schema', async (path, issue, sentence) => {
  await i18n.changeLanguage('en');
  const field = fieldAt(SETTINGS, path.split('.'));
  expect(field && issueText(i18n.t, path, field, issue)).toBe(sentence);
});

it('a field may have a sentence of its own', async () => {
  await i18n.changeLanguage('en');
  expect(issueText(i18n.t, 'model.model', SETTINGS, 'missing')).toBe('Enter the model name.');
});

it('options are called by the texts; a field with a text for it may be left unset', async () => {
  await i18n.changeLanguage('en');
  const of = (name: string) =>
    choicesOf(i18n.t, `appearance.${name}`, fieldAt(describeField(appearanceSchema), [name]) ?? SETTINGS);
  expect(of('density')?.map(({ value, label }) => [value, label])).toEqual([
    ['comfortable', 'Comfortable'],
    ['compact', 'Compact'],
  ]);
  expect(of('language')?.map(({ value }) => value)).toEqual(['', 'en', 'zh-CN']);
});
