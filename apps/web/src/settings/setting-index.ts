/** Every setting with its section, to be found by its name or by what is said of it. Pure. */
import type { TFunction } from 'i18next';
import type { SectionName } from './sections.ts';

export interface FoundSetting {
  readonly section: SectionName;
  /** As `data-setting` of its row. */
  readonly label: string;
}

/** Name and description of each setting. */
const SETTINGS = [
  ['model', 'models.add', 'models.text'],
  ['model', 'conduct.title', 'conduct.text'],
  ['tools', 'tools.approval', 'tools.approvals.ask.text'],
  ['tools', 'allowedList.title', 'allowedList.text'],
  ['tools', 'tools.fs', 'tools.fsHint'],
  ['tools', 'tools.secrets', 'tools.secretsHint'],
  ['tools', 'tools.runsLater', 'tools.runsLaterHint'],
  ['tools', 'tools.artifactsDir', 'tools.artifactsDirHint'],
  ['tools', 'tools.maxRead', 'tools.maxReadHint'],
  ['tools', 'tools.inlineRead', 'tools.inlineReadHint'],
  ['tools', 'tools.maxWrite', 'tools.maxWriteHint'],
  ['tools', 'tools.timeout', 'tools.timeoutHint'],
  ['servers', 'servers.enabled', 'servers.text'],
  ['engine', 'engine.maxTurns', 'engine.maxTurnsHint'],
  ['engine', 'engine.maxTokens', 'engine.maxTokensHint'],
  ['engine', 'engine.maxCost', 'engine.maxCostHint'],
  ['engine', 'engine.maxMinutes', 'engine.maxMinutesHint'],
  ['engine', 'engine.scope', 'engine.scopeHint'],
  ['engine', 'engine.strictState', 'engine.strictStateHint'],
  ['engine', 'engine.strictOutputs', 'engine.strictOutputsHint'],
  ['engine', 'engine.readAhead', 'engine.readAheadHint'],
  ['person', 'person.name', 'person.nameHint'],
  ['person', 'person.language', 'person.languageHint'],
  ['person', 'person.documentLanguage', 'person.documentLanguageHint'],
  ['appearance', 'appearance.theme', 'appearance.text'],
  ['appearance', 'appearance.density', 'appearance.text'],
  ['appearance', 'appearance.fontSize', 'appearance.text'],
  ['appearance', 'appearance.detail', 'appearance.details.normal.text'],
  ['appearance', 'appearance.language', 'appearance.systemLanguage'],
  ['appearance', 'appearance.sound', 'appearance.soundHint'],
  ['data', 'data.bytes', 'data.text'],
  ['about', 'settings.names.about', 'about.text'],
] as const;

/** Other words for a setting, in the texts. */
function wordsFor(t: TFunction, label: (typeof SETTINGS)[number][1]): string {
  if (label === 'tools.approval') return t('settings.words.approval');
  return label === 'appearance.theme' ? t('settings.words.theme') : '';
}

/** Names and other words of the settings in a section. */
export function wordsOf(t: TFunction, section: SectionName): string {
  return SETTINGS.filter(([where]) => where === section)
    .flatMap(([, label]) => [t(label), wordsFor(t, label)])
    .join(' ');
}

/** Settings whose name contains the words first, then those whose description does. */
export function findSettings(
  t: TFunction,
  text: string,
  sections: readonly SectionName[],
): readonly FoundSetting[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const all = SETTINGS.filter(([section]) => sections.includes(section)).map(([section, label, hint]) => ({
    section,
    label: t(label),
    hint: `${t(hint)} ${wordsFor(t, label)}`,
    sectionName: t(`settings.names.${section}`),
  }));
  const has = (said: string): boolean => said.toLowerCase().includes(wanted);
  const named = all.filter(({ label }) => has(label));
  const described = all.filter(
    ({ label, hint, sectionName }) => !has(label) && (has(hint) || has(sectionName)),
  );
  return [...named, ...described].map(({ section, label }) => ({ section, label }));
}
