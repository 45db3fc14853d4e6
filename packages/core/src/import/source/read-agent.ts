/**
 * Reads the agents of a source in the form of an `.agent.yaml`: YAML, the Markdown files of an installed BMAD with an XML block, and
 * the TOML of agent skills. All are untrusted: read within limits and in linear time.
 */

import { isObject } from '@crewagent/protocol/json-object';
import { findReservedKey, RESERVED_KEY } from '@crewagent/protocol/reserved-key';
import { parse, TomlDate, TomlError } from 'smol-toml';
import type { ImportScope } from './import-scope.ts';
import { folderOf, type SourceAgent } from './recognise-source.ts';
import { lineOf } from './resolve-reference.ts';
import { type Fields, parseSourceYaml } from './source-yaml.ts';

/** Undefined, with a note, if the agent cannot be read. */
export function readAgent({ file, form }: SourceAgent, { tree, notes }: ImportScope): Fields | undefined {
  const text = tree.text(file) ?? '';
  if (form === 'compiled') return parseCompiledAgent(text);
  if (form === 'skill') {
    const toml = `${folderOf(file)}customize.toml`;
    const parsed = parseToml(tree.text(toml) ?? '');
    if (parsed.ok && isObject(parsed.value.agent)) return fromSkill(parsed.value.agent);
    const [line, reason] = parsed.ok ? [1, 'no [agent] table'] : [parsed.line, parsed.reason];
    notes.add('agent', 'dropped', { file: toml, line }, `The agent could not be parsed: ${reason}.`);
    return undefined;
  }
  const agent = parseSourceYaml(text, file, notes)?.fields.agent;
  if (isObject(agent)) return agent;
  notes.add('agent', 'dropped', { file }, 'The file has no "agent" key.');
  return undefined;
}

/** The keys of customize.toml in the form of an `.agent.yaml`. */
function fromSkill(agent: Fields): Fields {
  const {
    name,
    title,
    icon,
    menu,
    persistent_facts: facts,
    activation_steps_append: steps,
    ...persona
  } = agent;
  const items = (Array.isArray(menu) ? menu : []).filter(isObject);
  return {
    metadata: { name, title, icon },
    persona,
    critical_actions: [facts, steps].flat().filter((line) => typeof line === 'string'),
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

export type TomlResult =
  | { readonly ok: true; readonly value: Fields }
  | { readonly ok: false; readonly reason: string; readonly line: number };

const MAX_DEPTH = 16;
const MAX_CHARS = 262_144;

export function parseToml(text: string): TomlResult {
  if (text.length > MAX_CHARS) return { ok: false, reason: 'it is longer than the limit', line: 1 };
  try {
    const value = withTextDates(parse(text.replace(/^\uFEFF/, ''), { maxDepth: MAX_DEPTH })) as Fields;
    if (!findReservedKey(value)) return { ok: true, value };
    return {
      ok: false,
      reason: `the key ${RESERVED_KEY} is reserved`,
      line: lineOf(text, RESERVED_KEY) ?? 1,
    };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.split('\n');
    return { ok: false, reason: first.replace(/^Invalid TOML document: /, ''), line: error.line };
  }
}

function withTextDates(value: unknown): unknown {
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map(withTextDates);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTextDates(inner)]));
}
