/** Sections of the settings, each with its own route. */
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

/** The section of a route; an unknown name means the first section. */
export function toSection(name: string | undefined, sections: readonly SectionName[]): SectionName {
  return sections.find((known) => known === name) ?? sections[0] ?? 'appearance';
}
