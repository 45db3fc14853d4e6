/** Every setting with its section, to be found by its name or by what is said of it. Pure. */
import type { TFunction } from 'i18next';
import type { SectionName } from './sections.ts';

export interface FoundSetting {
  readonly section: SectionName;
  /** As `data-setting` of its row. */
  readonly label: string;
}

const SETTINGS = [
  ['model', 'models.add', 'models.text'],
  ['tools', 'tools.approval', 'tools.approvals.ask.text'],
  ['tools', 'allowedList.title', 'allowedList.text'],
  ['tools', 'tools.fs', 'tools.fsHint'],
  ['tools', 'tools.secrets', 'tools.secretsHint'],
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

/** Settings whose name contains the words first, then those whose description does. */
export function findSettings(
  t: TFunction,
  text: string,
  sections: readonly SectionName[],
): readonly FoundSetting[] {
  const words = text.trim().toLowerCase();
  if (words === '') return [];
  const all = SETTINGS.filter(([section]) => sections.includes(section)).map(([section, label, hint]) => ({
    section,
    label: t(label),
    hint: t(hint),
    sectionName: t(`settings.names.${section}`),
  }));
  const has = (said: string): boolean => said.toLowerCase().includes(words);
  const named = all.filter(({ label }) => has(label));
  const described = all.filter(
    ({ label, hint, sectionName }) => !has(label) && (has(hint) || has(sectionName)),
  );
  return [...named, ...described].map(({ section, label }) => ({ section, label }));
}
