/**
 * Reads a method, the one-file form of a package: its frontmatter, and a step for each `## ` heading. What is wrong with it becomes
 * findings with lines of the file. Pure.
 */
import { type MethodFrontmatter, methodSchema } from '@crewagent/protocol/method';
import { markdownLines } from '../../base/named-files.ts';
import { checkSchema, toFrontmatter } from '../check/read-document.ts';
import type { Findings } from '../findings/findings.ts';
import {
  findMeant,
  type Keyword,
  type Target,
  toField,
  toItem,
  toKeyword,
  toNames,
  toTarget,
} from './method-lines.ts';

export interface Method {
  readonly frontmatter: MethodFrontmatter;
  /** The text of the first `# ` heading. */
  readonly heading: string | undefined;
  /** Text before the first step. */
  readonly intro: readonly SourceLine[];
  readonly steps: readonly MethodStep[];
  lineOf(path: readonly PropertyKey[]): number;
}

export interface SourceLine {
  readonly text: string;
  readonly line: number;
}

export interface MethodStep extends StepFacts {
  readonly id: string;
  readonly title: string;
  readonly line: number;
  /** Without the lines that are facts, except for the list of choices. */
  readonly body: readonly SourceLine[];
}

export interface StepFacts {
  readonly edges: readonly (Target & { readonly line: number })[];
  readonly isDecision: boolean;
  readonly isEnd: boolean;
  /** Keys of the frontmatter of a step. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Name or id of the agent. */
  readonly agent: string | undefined;
  /** Lines by JSON pointer into the fields. */
  readonly lines: ReadonlyMap<string, number>;
}

/** Far above any method that a person can read. */
const MAX_CHARS = 262_144;
const MAX_STEPS = 200;
const MAX_FIELDS = 20;

export function parseMethod(text: string, file: string, findings: Findings): Method | undefined {
  if (text.length > MAX_CHARS) {
    findings.add('FILE_TOO_LARGE', {
      file,
      message: `a method has at most ${MAX_CHARS / 1_024} KiB`,
      fix: 'Move long material to assets, or write the package in the full form.',
    });
    return undefined;
  }
  const parsed = toFrontmatter(text, file, {}, findings);
  if (!parsed) return undefined;
  const { value, lineOf, body } = parsed;
  const frontmatter = checkSchema(methodSchema, { file, value, lineOf }, findings);
  const lines = toSourceLines(body, text.slice(0, text.length - body.length).split('\n').length);
  const starts = lines.flatMap((line, index) => (isHeading(line, 2) ? [index] : []));
  const [first] = starts;
  if (first === undefined || starts.length > MAX_STEPS) {
    findings.add('SCHEMA', {
      file,
      message:
        first === undefined
          ? 'there is no step: no line begins with "## "'
          : `there are more than ${MAX_STEPS} steps`,
      fix:
        first === undefined
          ? 'Write a heading such as "## Ask for the topic" for each step.'
          : 'Split the method into several packages, or write it in the full form.',
    });
    return undefined;
  }
  const before = lines.slice(0, first);
  const title = before.find((line) => isHeading(line, 1));
  const sections = starts.map((start, index) => lines.slice(start, starts[index + 1]));
  return {
    frontmatter,
    heading: title && headingText(title.text),
    intro: before.filter((line) => line !== title),
    steps: toSteps(sections, file, findings),
    lineOf,
  };
}

interface ParsedLine extends SourceLine {
  /** Outside of fenced code. */
  readonly isProse: boolean;
}

function toSourceLines(body: string, firstLine: number): ParsedLine[] {
  const prose = new Set<number>();
  for (const { line, code } of markdownLines(body, firstLine)) if (code === undefined) prose.add(line);
  return body
    .split(/\r?\n/)
    .map((text, index) => ({ text, line: firstLine + index, isProse: prose.has(firstLine + index) }));
}

function isHeading({ text, isProse }: ParsedLine, level: 1 | 2): boolean {
  return isProse && (level === 1 ? /^#\s+\S/ : /^##\s+\S/).test(text);
}

function headingText(text: string): string {
  return text
    .replace(/^#+\s+/, '')
    .replace(/\s+#+\s*$/, '')
    .trim();
}

/** An id in lower case, so that no two files differ by case only. */
const ID = /^[a-z0-9][a-z0-9-]{0,59}$/;

function toSteps(
  sections: readonly (readonly ParsedLine[])[],
  file: string,
  findings: Findings,
): MethodStep[] {
  const ids = new Map<string, number>();
  return sections.map(([heading, ...lines], index) => {
    const { text = '', line = 1 } = heading ?? {};
    const [, title = '', given] = /^(.*?)\s*(?:\{#([^{}]*)\})?$/.exec(headingText(text)) ?? [];
    const slug = toSlug(title);
    const isFree = slug !== '' && !ids.has(slug);
    const id = given ?? (isFree ? slug : `step-${String(index + 1).padStart(2, '0')}`);
    if (!ID.test(id))
      findings.add('SCHEMA', {
        file,
        line,
        message: `"${id}" is no id of a step: lower-case letters, digits and "-"`,
        fix: 'Write an id such as {#first-draft} after the heading, or none.',
      });
    else if (ids.has(id))
      findings.add('DUPLICATE_ID', {
        file,
        line,
        message: `the step of line ${ids.get(id)} has the id "${id}" as well`,
        fix: 'Give each step its own id.',
      });
    ids.set(id, line);
    return { id, title, line, ...readSection(lines, file, findings) };
  });
}

/** Empty for a heading without Latin letters or digits. */
function toSlug(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return /\p{Script=Han}/u.test(title) ? '' : (words ?? []).join('-').slice(0, 60).replace(/-+$/, '');
}

function readSection(
  lines: readonly ParsedLine[],
  file: string,
  findings: Findings,
): StepFacts & Pick<MethodStep, 'body'> {
  const facts = createFacts(file, findings);
  const body: SourceLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as ParsedLine;
    const keyword = line.isProse ? toKeyword(line.text) : undefined;
    if (!keyword) {
      const meant = line.isProse ? findMeant(line.text) : undefined;
      if (meant !== undefined)
        findings.add('KEY_MISSPELT', {
          file,
          line: line.line,
          message: `"${line.text.trim().slice(0, 80)}" is text for the model, and no line that the runtime follows`,
          fix: `Did you mean the line "${meant}"? Otherwise write it as part of a sentence.`,
        });
      body.push(line);
      at++;
      continue;
    }
    const list = LISTED.has(keyword.kind) ? readList(lines, at + 1, keyword.kind === 'choose') : undefined;
    facts.add(keyword, line.line, list?.items ?? []);
    const end = list?.end ?? at + 1;
    // The model has to know what it chooses from.
    if (keyword.kind === 'choose') body.push(...lines.slice(at, end));
    at = end;
  }
  return { body, ...facts.result() };
}

const LISTED: ReadonlySet<string> = new Set(['choose', 'produces', 'reads']);

/** The items of a list that begins here; an indented line continues the item before it. */
function readList(lines: readonly ParsedLine[], start: number, mayBeApart: boolean) {
  const items: { text: string; line: number }[] = [];
  let at = start;
  for (; at < lines.length; at++) {
    const { text, line, isProse } = lines[at] as ParsedLine;
    const item = isProse ? toItem(text) : undefined;
    const last = items.at(-1);
    if (item !== undefined) items.push({ text: item, line });
    else if (last && isProse && /^\s+\S/.test(text) && last.text.length < 2_000)
      last.text += ` ${text.trim()}`;
    else if (last || !mayBeApart || text.trim() !== '') break;
  }
  return { items, end: items.length === 0 ? start : at };
}

function createFacts(file: string, findings: Findings) {
  const edges: (Target & { line: number })[] = [];
  const fields: Record<string, unknown> = {};
  const lists: Record<'produces' | 'consumes' | 'verify' | 'setsVariables', unknown[]> = {
    produces: [],
    consumes: [],
    verify: [],
    setsVariables: [],
  };
  const pointers = new Map<string, number>();
  let isDecision = false;
  let endLine: number | undefined;
  let agent: string | undefined;

  const addFile = (
    key: 'produces' | 'consumes',
    path: string,
    line: number,
    items: readonly SourceLine[],
  ) => {
    const pointer = `/${key}/${lists[key].length}`;
    pointers.set(pointer, line);
    const entry = new Map<string, unknown>([['path', path]]);
    for (const item of items.slice(0, MAX_FIELDS)) {
      const field = toField(item.text);
      if (!field || entry.has(field.key))
        findings.add('PROOF_INVALID', {
          file,
          line: item.line,
          message: `"${item.text.slice(0, 80)}" is not a check: a key, a colon and a value, each key once`,
          fix: 'Write for example "- minWords: 120", or leave a blank line before a list that is text.',
        });
      else {
        entry.set(field.key, field.value);
        pointers.set(`${pointer}/${field.key}`, item.line);
      }
    }
    lists[key].push(Object.fromEntries(entry));
  };

  const add = ({ kind, value, wait }: Keyword, line: number, items: readonly SourceLine[]): void => {
    switch (kind) {
      case 'edge':
        edges.push({ ...toTarget(value), line });
        break;
      case 'choose':
        isDecision = true;
        for (const item of items) edges.push({ ...toTarget(item.text), line: item.line });
        pointers.set('/type', line);
        break;
      case 'end':
        endLine = line;
        break;
      case 'waits':
        fields.waits =
          wait === undefined && value === ''
            ? true
            : { for: wait ?? 'choice', ...(value === '' ? {} : { options: toNames(value) }) };
        pointers.set('/waits', line);
        break;
      case 'produces':
        addFile('produces', value, line, items);
        break;
      case 'reads':
        addFile('consumes', value, line, items);
        break;
      case 'sets':
        lists.setsVariables.push(...toNames(value));
        pointers.set('/setsVariables', line);
        break;
      case 'agent':
        agent = value;
        pointers.set('/agentId', line);
        break;
      case 'verify':
        pointers.set(`/verify/${lists.verify.length}`, line);
        lists.verify.push({ run: value });
        break;
    }
  };

  const result = (): StepFacts => {
    if (endLine !== undefined && edges.length > 0)
      findings.add('SCHEMA', {
        file,
        line: endLine,
        message: 'a step that ends the method has no step after it',
        fix: 'Remove "End.", or the arrows and choices of this step.',
      });
    for (const [key, list] of Object.entries(lists)) if (list.length > 0) fields[key] = list;
    return { edges, isDecision, isEnd: endLine !== undefined, fields, agent, lines: pointers };
  };
  return { add, result };
}
