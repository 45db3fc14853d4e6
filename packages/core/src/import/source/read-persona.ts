/**
 * Reads an agent whose persona is Markdown: a skill with the sections Identity, Communication Style and Principles and a table of
 * capabilities, with or without a manifest beside it. Returns the form of an `.agent.yaml`. Pure, and in linear time.
 */
import { cellOf, tableRows } from './markdown-tables.ts';
import { type Fields, textField } from './source-yaml.ts';

export interface PersonaSource {
  /** Frontmatter and body of the file. */
  readonly fields: Fields;
  readonly body: string;
  /** Of the manifest or the customization; empty if there is none. `rule`: what the agent always follows. */
  readonly manifest: Fields;
}

/** Whether a text describes a persona: it has an identity, and a style or principles. */
export function isPersona(text: string): boolean {
  return /^#{1,3} +identity *$/im.test(text) && /^#{1,3} +(?:communication style|principles) *$/im.test(text);
}

export function readPersona({ fields, body, manifest }: PersonaSource): Fields {
  const sections = toSections(body);
  const find = (title: RegExp): string | undefined =>
    sections.find((section) => title.test(section.title))?.text || undefined;
  const own = (key: string): string | undefined => textField(manifest, key) ?? textField(fields, key);
  // "Mary — Business Analyst", or the name alone.
  const [heading, headingTitle] = (/^#[ \t]+(\S.{0,200})$/m.exec(body)?.[1] ?? '').split(/\s+[—–-]\s+/);
  const principles = find(/^(?:core )?principles$/i);
  const rules = principles?.split('\n').filter((line) => line.trim() !== '' && !ITEM.test(line)) ?? [];
  return {
    metadata: {
      id: own('name'),
      name: own('displayName') ?? (heading || own('name')),
      title: own('title') ?? headingTitle,
      icon: own('icon'),
      module: own('module'),
      capabilities: own('capabilities') ?? own('description'),
    },
    persona: {
      role: find(/^role$/i) ?? own('role') ?? own('description'),
      identity: find(/^identity$/i) ?? own('identity') ?? find(/^overview$/i),
      communication_style: find(/^communication[ _-]style$/i) ?? own('communicationStyle'),
      principles: toItems(principles ?? '') ?? principles ?? manifest.principles,
    },
    critical_actions: [
      ...(principles && toItems(principles) ? rules : []),
      ...(toItems(find(/^critical actions$/i) ?? '', 1) ?? []),
      ...(textField(manifest, 'rule') ?? '').split('\n').filter(Boolean),
      ...toActivation(sections),
    ],
    menu: findMenu(body),
  };
}

/** An agent that is a prompt with a name and a description: its first paragraph is its identity, the rest are its principles. */
export function readPromptAgent({ fields, body }: Pick<PersonaSource, 'fields' | 'body'>): Fields {
  const text = body.trim().replace(/^#[ \t]+.*\n+/, '');
  const end = text.search(/\n\s*\n/);
  const description = textField(fields, 'description');
  return {
    metadata: {
      id: textField(fields, 'name'),
      name: textField(fields, 'name'),
      title: description?.split(/(?<=\.)\s/)[0],
      capabilities: description,
    },
    persona: {
      role: description,
      identity: end === -1 ? text : text.slice(0, end),
      principles: end === -1 ? undefined : text.slice(end).trim(),
    },
  };
}

interface Section {
  readonly title: string;
  readonly text: string;
}

/** Sections of the second level. */
function toSections(body: string): Section[] {
  const sections: { title: string; lines: string[] }[] = [];
  for (const line of body.split('\n')) {
    const title = /^##[ \t]+(.{1,200}?)[ \t#]*$/.exec(line)?.[1];
    if (title !== undefined) sections.push({ title, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ title, lines }) => ({ title, text: lines.join('\n').trim() }));
}

const ITEM = /^[-*+][ \t]+(.+)$/;

function toItems(text: string, least = 2): string[] | undefined {
  const items = text.split('\n').flatMap((line) => ITEM.exec(line)?.[1]?.trim() ?? []);
  return items.length >= least ? items : undefined;
}

/** What the runtime does for every agent: configuration, greeting, menu. */
const OF_THE_RUNTIME =
  /\bconfig|\bgreet|\bpresent\b|\bmenu\b|\bcapabilit|\bremind\b|\bwait\b|\bpersona\b|\bactivation\b|\bsteps? below\b|\bscripts?\/|\bcustomi[sz]ation|\binject\b|\badditional_resources\b/i;

/** Items of the activation that the runtime does not do by itself. */
function toActivation(sections: readonly Section[]): string[] {
  const { text = '' } = sections.find(({ title }) => /\bactivation\b/i.test(title)) ?? {};
  return text.split('\n').flatMap((line) => {
    const item = /^\s*(?:[-*+]|\d{1,2}[.)])[ \t]+(.{1,2000})$/.exec(line)?.[1]?.trim();
    return item === undefined || OF_THE_RUNTIME.test(item) || /^Use `\{/.test(item)
      ? []
      : [item.replace(/\*\*(?=[^\s*/])([^*]{1,300})\*\*/g, '$1')];
  });
}

const COLUMNS = {
  code: /^(?:code|cmd|command|trigger|key)$/i,
  description: /^(?:description|capability|what it does)$/i,
  target: /^(?:skill|workflow|prompt|action|route|skill or prompt|skill\/prompt|file)$/i,
} as const;

/** The table of capabilities as a menu: each row has a code, a description and a skill, a file or a prompt. */
function findMenu(body: string): Fields[] {
  return tableRows(body).flatMap((row): Fields[] => {
    const [trigger, description, target] = [COLUMNS.code, COLUMNS.description, COLUMNS.target].map((column) =>
      cellOf(row, column),
    );
    if (trigger === undefined || target === undefined || !description) return [];
    const kind = /^[\w:-]+$/.test(target) ? 'skill' : /\.(?:md|ya?ml|xml)$/.test(target) ? 'exec' : 'action';
    return [{ trigger, description, ...(target === '' ? {} : { [kind]: target }) }];
  });
}
