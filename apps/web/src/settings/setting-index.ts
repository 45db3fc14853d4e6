/** Every setting with its section, to be found by its name or by what is said of it. Settings have their texts by their path. Pure. */
import type { TFunction } from 'i18next';
import '../i18n/settings-texts.ts';
import { fields } from '../i18n/texts/en/fields.ts';
import { fieldText } from '../i18n/use-translation.ts';

export interface FoundSetting {
  readonly section: SectionName;
  /** As `data-setting` of its row. */
  readonly label: string;
}

/** The section of each group of settings, and of settings that are elsewhere than their group. */
const SECTION_OF: Readonly<Record<string, SectionName>> = {
  limits: 'engine',
  context: 'engine',
  tools: 'tools',
  'tools.mcp': 'servers',
  'tools.strictState': 'engine',
  'tools.strictOutputs': 'engine',
  'tools.readAhead': 'engine',
  person: 'person',
  appearance: 'appearance',
};

const PATHS = pathsIn(fields.fields).map((path) => ({ path, section: sectionOf(path) }));

/** Paths of the settings of a section, in the order of their texts. */
export function settingsOf(section: SectionName): readonly string[] {
  return PATHS.filter((setting) => setting.section === section).map(({ path }) => path);
}

/** What can be found besides settings. */
const OTHERS = [
  ['model', 'models.add'],
  ['model', 'conduct.title'],
  ['costs', 'costs.byDay'],
  ['tools', 'allowedList.title'],
  ['data', 'data.bytes'],
  ['hooks', 'settings.names.hooks'],
  ['about', 'settings.names.about'],
] as const;

/** Names and other words of the settings in a section. */
export function wordsOf(t: TFunction, section: SectionName): string {
  return indexOf(t, [section])
    .flatMap(({ label, words }) => [label, words])
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
  const has = (said: string): boolean => said.toLowerCase().includes(wanted);
  const all = indexOf(t, sections);
  const named = all.filter(({ label }) => has(label));
  const described = all.filter(
    ({ section, label, hint, words }) =>
      !has(label) && has(`${hint} ${words} ${t(`settings.names.${section}`)}`),
  );
  return [...named, ...described].map(({ section, label }) => ({ section, label }));
}

function indexOf(t: TFunction, sections: readonly SectionName[]) {
  const settings = PATHS.flatMap(({ path, section }) => {
    const of = (name: string): string => fieldText(t, path, name) ?? '';
    return section ? [{ section, label: of('label'), hint: of('hint'), words: of('words') }] : [];
  });
  const others = OTHERS.map(([section, label]) => ({
    section,
    label: t(label),
    hint: t(`settings.texts.${section}`),
    words: '',
  }));
  return [...settings, ...others].filter(({ section }) => sections.includes(section));
}

function sectionOf(path: string): SectionName | undefined {
  const group = path.slice(0, Math.max(path.lastIndexOf('.'), 0));
  return SECTION_OF[path] ?? (group === '' ? undefined : sectionOf(group));
}

/** Paths of all texts with a label. */
function pathsIn(texts: object, prefix = ''): string[] {
  return Object.entries(texts).flatMap(([name, text]: [string, unknown]) => {
    if (typeof text !== 'object' || text === null || name === 'options') return [];
    const path = `${prefix}${name}`;
    return [...('label' in text ? [path] : []), ...pathsIn(text, `${path}.`)];
  });
}

/** Sections of the settings, each with its own route. */
export const SECTIONS = [
  'model',
  'costs',
  'tools',
  'servers',
  'hooks',
  'engine',
  'person',
  'appearance',
  'policy',
  'data',
  'about',
] as const;
export type SectionName = (typeof SECTIONS)[number];

/** The section of a route; an unknown name means the first section. */
export function toSection(name: string | undefined, sections: readonly SectionName[]): SectionName {
  return sections.find((known) => known === name) ?? sections[0] ?? 'appearance';
}
