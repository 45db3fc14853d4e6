/**
 * Finds the line of a JSON pointer in the text of a valid JSON document, for findings; validation itself needs no lines.
 */

/** Bounds for hostile documents; beyond them a pointer gets the line of its nearest known ancestor. */
const MAX_MEMBERS = 100_000;
const MAX_POINTER_CHARS = 300;

interface OpenValue {
  readonly pointer: string;
  /** Of an array; undefined for an object. */
  index: number | undefined;
  /** Pointer of the member that is being read; undefined where an object expects a key. */
  member: string | undefined;
}

/** Returns the line of a pointer, or of its nearest ancestor in the document. */
export function createLineFinder(text: string): (pointer: string) => number {
  const lines = toLines(text);
  return (pointer) => {
    for (let path = pointer; path !== ''; path = path.slice(0, path.lastIndexOf('/'))) {
      const line = lines.get(path);
      if (line !== undefined) return line;
    }
    return 1;
  };
}

function toLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const open: OpenValue[] = [];
  let line = 1;
  let members = 0;
  const noteValue = (): void => {
    const member = open.at(-1)?.member;
    if (member !== undefined && member.length <= MAX_POINTER_CHARS) lines.set(member, line);
  };
  for (let at = 0; at < text.length && members < MAX_MEMBERS; at++) {
    const top = open.at(-1);
    switch (text[at]) {
      case '\n':
        line++;
        break;
      case '{':
      case '[': {
        members++;
        noteValue();
        const pointer = top?.member ?? '';
        const isArray = text[at] === '[';
        open.push({
          pointer,
          index: isArray ? 0 : undefined,
          member: isArray ? toMember(pointer, '0') : undefined,
        });
        break;
      }
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        members++;
        if (top)
          top.member = top.index === undefined ? undefined : toMember(top.pointer, String(++top.index));
        break;
      case '"': {
        const start = at;
        for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
        if (top && top.member === undefined)
          top.member = toMember(top.pointer, keyOf(text.slice(start, at + 1)));
        else noteValue();
        break;
      }
      case ' ':
      case '\t':
      case '\r':
      case ':':
        break;
      default:
        noteValue();
    }
  }
  return lines;
}

/** Cut, because the members of a value with a long pointer are not looked up. */
function toMember(pointer: string, key: string): string {
  return `${pointer}/${key}`.slice(0, MAX_POINTER_CHARS + 1);
}

function keyOf(quoted: string): string {
  return String(JSON.parse(quoted)).replaceAll('~', '~0').replaceAll('/', '~1');
}
