/**
 * What `JSON.parse` takes without a word and readers of JSON understand differently: a key that is in one object twice.
 * Looked for in the text, because the parsed value no longer shows it.
 */

/** The first key that one object has twice; `text` must be valid JSON. */
export function findRepeatedKey(text: string): string | undefined {
  /** The keys of each object that is open, undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{') open.push(new Set());
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    if (character !== '"') continue;
    const end = endOfString(text, at);
    const keys = open.at(-1);
    if (keys && isFollowedByColon(text, end)) {
      const key = JSON.parse(text.slice(at, end)) as string;
      if (keys.has(key)) return key;
      keys.add(key);
    }
    at = end - 1;
  }
  return undefined;
}

/** Index after the closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function isFollowedByColon(text: string, start: number): boolean {
  let at = start;
  while (/\s/.test(text.charAt(at))) at++;
  return text[at] === ':';
}
