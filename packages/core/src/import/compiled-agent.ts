/**
 * Parses the agent files of an installed BMAD: Markdown around an XML block with persona and menu. Tolerant: reads only the
 * tags it needs, in linear time. Pure.
 */
import type { Fields } from './source-yaml.ts';

/** The agent in the form of an `.agent.yaml`. */
export function parseCompiledAgent(text: string): Fields | undefined {
  const head = /<agent\b([^>]{0,2000})>/.exec(text)?.[1];
  if (head === undefined) return undefined;
  const { id, name, title, icon, capabilities } = attributesOf(head);
  const principles = contentOf(text, 'principles');
  const menu = contentOf(text, 'menu') ?? '';
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
      principles,
    },
    prompts: [
      ...(contentOf(text, 'prompts') ?? '').matchAll(/<prompt\s+id="([^"]{1,200})"[^>]{0,200}>/g),
    ].map(({ 0: open, 1: promptId, index }) => {
      const inside = (contentOf(text, 'prompts') ?? '').slice(index + open.length);
      return {
        id: promptId,
        content: unescapeXml(inside.slice(0, Math.max(0, inside.indexOf('</prompt>')))).trim(),
      };
    }),
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
