/** Decodes character references of Markdown (`&amp;`, `&#8212;`); unknown ones are left as they are. */
import { characterEntities } from 'character-entities';
import { toShownProse } from '../sanitize-text.ts';

export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  // A reference may decode to a control or bidi character.
  return toShownProse(
    text.replace(REFERENCE, (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return NAMED.get(name) ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return isCharacter(code) ? String.fromCodePoint(code) : '\ufffd';
    }),
  );
}

const NAMED: ReadonlyMap<string, string> = new Map(Object.entries(characterEntities));
const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z0-9]{1,31}));/gi;

function isCharacter(code: number): boolean {
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}
