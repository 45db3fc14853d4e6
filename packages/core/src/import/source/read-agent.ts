/**
 * Reads the agents of a source in the form of an `.agent.yaml`: YAML, the Markdown files of an installed BMAD with an XML block, and
 * the TOML of agent skills. All are untrusted: read within limits and in linear time.
 */

import { isObject } from '@crewagent/protocol/json-object';
import { CUSTOMIZE } from './customization.ts';
import type { ImportScope } from './import-scope.ts';
import { readFencedAgent } from './read-fenced-agent.ts';
import { readPersona, readPromptAgent } from './read-persona.ts';
import { folderOf, SKILL_MANIFEST, type SourceAgent } from './recognise-source.ts';
import { lineOf } from './resolve-reference.ts';
import { type Fields, parseSourceDocument, parseSourceYaml } from './source-yaml.ts';

/** Undefined, with a note, if the agent cannot be read. */
export function readAgent(
  { file, form }: SourceAgent,
  { tree, notes, customization }: ImportScope,
): Fields | undefined {
  const text = tree.text(file) ?? '';
  if (form === 'compiled') return parseCompiledAgent(text);
  if (form === 'skill') {
    const { agent } = customization.tablesOf(file);
    if (isObject(agent)) return fromSkill(agent);
    const toml = folderOf(file) + CUSTOMIZE;
    notes.add('agent', 'dropped', { file: toml }, 'The file has no table [agent] that can be read.');
    return undefined;
  }
  if (form === 'prompt') return readPromptAgent(parseSourceDocument(text, file, notes));
  if (form === 'fenced') return readFencedAgent(text, file, { tree, notes });
  if (form === 'persona') {
    const path = folderOf(file) + SKILL_MANIFEST;
    const { metadata, persona, inject } = customization.tablesOf(file);
    const manifest = {
      ...parseSourceYaml(tree.text(path) ?? '', path, notes)?.fields,
      ...(isObject(metadata) ? metadata : {}),
      ...(isObject(persona) ? persona : {}),
      ...(isObject(inject) ? { rule: inject.before } : {}),
    };
    const section = lineOf(text, '## On Activation');
    if (section !== undefined) notes.add('activation', 'inferred', { file, line: section }, ACTIVATION);
    return readPersona({ ...parseSourceDocument(text, file, notes), manifest });
  }
  const agent = parseSourceYaml(text, file, notes)?.fields.agent;
  if (isObject(agent)) return agent;
  notes.add('agent', 'dropped', { file }, 'The file has no "agent" key.');
  return undefined;
}

const ACTIVATION =
  'The runtime sets the variables, greets and shows the menu; other items became critical actions.';

/** The keys of customize.toml in the form of an `.agent.yaml`. */
function fromSkill(agent: Fields): Fields {
  const {
    name,
    title,
    icon,
    menu,
    persistent_facts: facts,
    activation_steps_prepend: before,
    activation_steps_append: after,
    ...persona
  } = agent;
  const items = (Array.isArray(menu) ? menu : []).filter(isObject);
  return {
    metadata: { name, title, icon },
    persona,
    critical_actions: [before, facts, after].flat().filter((line) => typeof line === 'string'),
    menu: items.map(({ code, description, skill, prompt }) => ({
      trigger: code,
      description,
      skill,
      action: prompt,
    })),
  };
}

/** The agent in the form of an `.agent.yaml`. */
function parseCompiledAgent(text: string): Fields | undefined {
  const head = /<agent\b([^>]{0,2000})>/.exec(text)?.[1];
  if (head === undefined) return undefined;
  const { id, name, title, icon, capabilities } = attributesOf(head);
  const menu = contentOf(text, 'menu') ?? '';
  const prompts = contentOf(text, 'prompts') ?? '';
  const items = [...menu.matchAll(/<item\b([^>]{0,4000})>([^<]{0,4000})<\/item>/g)].map(
    ([, attributes = '', description = '']) => {
      const { cmd, ...rest } = attributesOf(attributes);
      return { ...rest, trigger: cmd, description: unescapeXml(description).trim() };
    },
  );
  return {
    metadata: { id, name, title, icon, capabilities },
    persona: {
      role: contentOf(text, 'role'),
      identity: contentOf(text, 'identity'),
      communication_style: contentOf(text, 'communication_style'),
      principles: contentOf(text, 'principles'),
    },
    prompts: [...prompts.matchAll(/<prompt\s+id="([^"]{1,200})"[^>]{0,200}>/g)].map(
      ({ 0: open, 1: promptId, index }) => {
        const inside = prompts.slice(index + open.length);
        const content = inside.slice(0, Math.max(0, inside.indexOf('</prompt>')));
        return { id: promptId, content: unescapeXml(content).trim() };
      },
    ),
    menu: items,
  };
}

function contentOf(text: string, tag: string): string | undefined {
  const open = new RegExp(`<${tag}(?:\\s[^>]{0,500})?>`).exec(text);
  if (!open) return undefined;
  const start = open.index + open[0].length;
  const end = text.indexOf(`</${tag}>`, start);
  const inside = end === -1 ? undefined : unescapeXml(text.slice(start, end)).trim();
  return inside === '' ? undefined : tag === 'menu' || tag === 'prompts' ? text.slice(start, end) : inside;
}

export function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w-]{1,80})\s{0,20}=\s{0,20}"([^"]{0,4000})"/g)].map(([, key = '', value = '']) => [
      key,
      unescapeXml(value),
    ]),
  );
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

export function unescapeXml(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? '');
}
