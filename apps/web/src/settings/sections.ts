/** The sections of the settings, each with an address of its own. */
export const SECTIONS = [
  'model',
  'tools',
  'servers',
  'engine',
  'person',
  'appearance',
  'data',
  'about',
] as const;
export type SectionName = (typeof SECTIONS)[number];

/** What an address means; one that means nothing is the first there is. */
export function toSection(name: string | undefined, sections: readonly SectionName[]): SectionName {
  return sections.find((known) => known === name) ?? sections[0] ?? 'appearance';
}
