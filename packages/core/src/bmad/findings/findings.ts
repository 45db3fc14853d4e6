/**
 * Collects the findings of a validation, so that they are all reported at once; bounded, because a hostile package could
 * produce millions.
 */
import {
  DIAGNOSTICS,
  type Diagnostic,
  type DiagnosticCode,
  type Severity,
  type ValidationReport,
} from '@crewagent/protocol/diagnostics';

/** Limit of each severity. */
const MAX_FINDINGS = 1_000;
const OVERFLOW = {
  error: 'TOO_MANY_ERRORS',
  warning: 'TOO_MANY_WARNINGS',
  advice: 'TOO_MUCH_ADVICE',
} as const;

export interface Finding {
  readonly file: string;
  readonly pointer?: string;
  readonly line?: number;
  readonly message: string;
  readonly fix: string;
}

export interface Findings {
  add(code: DiagnosticCode, finding: Finding): void;
  /** The text of a JSON document; findings with a pointer into it are listed with their line. */
  addDocument(file: string, text: string): void;
  /** The documents were made from another file: findings are listed where `toSource` says. */
  setSource(toSource: (found: Diagnostic) => Diagnostic): void;
  readonly hasErrors: boolean;
  /** No further error will be listed, so checks may stop. */
  readonly isFull: boolean;
  /** Errors and warnings found so far, errors first, each group in the order it was found. */
  list(): Diagnostic[];
  advice(): Diagnostic[];
}

export function createFindings(): Findings {
  const lists: Record<Severity, Diagnostic[]> = { error: [], warning: [], advice: [] };
  const documents = new Map<string, string>();
  let toSource = (found: Diagnostic): Diagnostic => found;
  return {
    add(code, finding) {
      const severity = DIAGNOSTICS[code];
      const list = lists[severity];
      if (list.length >= MAX_FINDINGS) return;
      const isLast = list.length === MAX_FINDINGS - 1;
      const { file, pointer, line, message, fix } = isLast ? tooMany(finding.file) : finding;
      list.push({
        severity,
        code: isLast ? OVERFLOW[severity] : code,
        file: clip(file, 300),
        pointer: pointer && clip(pointer, 300),
        line,
        message: clip(message, 500),
        fix: clip(fix, 300),
      });
    },
    addDocument: (file, text) => void documents.set(file, text),
    setSource(next) {
      toSource = next;
    },
    get hasErrors() {
      return lists.error.length > 0;
    },
    get isFull() {
      return lists.error.length >= MAX_FINDINGS;
    },
    list: () => withLines([...lists.error, ...lists.warning].map(toSource), documents),
    advice: () => lists.advice.map(toSource),
  };
}

function withLines(found: readonly Diagnostic[], documents: ReadonlyMap<string, string>): Diagnostic[] {
  const finders = new Map<string, (pointer: string) => number>();
  return found.map((entry) => {
    const { file, pointer, line } = entry;
    const text = documents.get(file);
    if (text === undefined || pointer === undefined || line !== undefined) return entry;
    const lineOf = finders.get(file) ?? createLineFinder(text);
    finders.set(file, lineOf);
    return { ...entry, line: lineOf(pointer) };
  });
}

export function toReport(
  path: string,
  diagnostics: readonly Diagnostic[],
  advice?: readonly Diagnostic[],
): ValidationReport {
  const errors = diagnostics.filter((entry) => entry.severity === 'error');
  const warnings = diagnostics.filter((entry) => entry.severity === 'warning');
  return { ok: errors.length === 0, path, errors, warnings, ...(advice ? { advice: [...advice] } : {}) };
}

/** A JSON pointer (RFC 6901) from the keys that lead to a value; undefined for the whole document. */
export function toPointer(keys: readonly PropertyKey[]): string | undefined {
  if (keys.length === 0) return undefined;
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function clip(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function tooMany(file: string): Finding {
  return {
    file,
    message: `there are more than ${MAX_FINDINGS - 1} findings; the rest are not listed`,
    fix: 'Fix the ones above and validate again.',
  };
}

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
