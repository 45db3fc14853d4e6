/**
 * The content of files that a rehearsal writes: marked as a placeholder, valid for the file type, and identical for
 * every visit of a node. Pure.
 */
import type { ProducedFile } from '@crewagent/protocol/proof';
import { stringify } from 'yaml';
import { type Words, wordsIn } from './words.ts';

export interface PlaceholderFacts {
  readonly title: string;
  readonly nodeId: string;
  readonly read: readonly { readonly path: string; readonly note: string }[];
  /** Answers of the person, verbatim, with the question they belong to. */
  readonly said: readonly { readonly about: string; readonly words: string }[];
  /** From 2 on it is part of the content, so that the file changes. */
  readonly revision?: number;
  /** Default: English. */
  readonly words?: Words;
}

/** What the content of a file is checked for, as far as it can be met without understanding it. */
export type ContentDemands = Pick<
  ProducedFile,
  'headings' | 'contains' | 'columns' | 'minWords' | 'notContains'
>;

/** Stand for a text of a wanted length where a check does not allow a sentence. */
const FILLERS = ['placeholder', 'rehearsed', 'x'];

/** A placeholder that also has what is checked of the file; a schema is not interpreted. */
export function toPlaceholder(path: string, facts: PlaceholderFacts, wanted?: ContentDemands): string {
  const content = toPlainPlaceholder(path, facts);
  if (!wanted) return content;
  const { headings = [], contains = [], columns = [], minWords = 0, notContains = [] } = wanted;
  const isAllowed = (text: string): boolean => !notContains.some((part) => text.includes(part));
  const { file } = facts.words ?? wordsIn();
  const sentence = [file.filler, ...FILLERS].find(isAllowed) ?? 'x';
  const filler = `${sentence} `.repeat(Math.ceil(minWords / countWords(sentence))).trim();
  const isTable = columns.length > 0;
  const parts = [
    isTable ? toCsvRow(columns).trimEnd() : '',
    content.trimEnd(),
    ...headings.map((heading) => `## ${heading.replace(/\{\{?[^{}]*\}?\}/g, 'x')}\n\n${file.section}`),
    ...contains,
    filler,
  ];
  const text = `${parts.filter(Boolean).join(isTable ? '\n' : '\n\n')}\n`;
  return notContains.reduce((left, part) => left.replaceAll(part, ''), text);
}

/** As checks count them: a Chinese character is a word. */
function countWords(text: string): number {
  return text.match(/\p{Script=Han}|[\w'-]+/gu)?.length ?? 1;
}

function toPlainPlaceholder(
  path: string,
  { revision = 1, words = wordsIn(), ...about }: PlaceholderFacts,
): string {
  const facts = revision > 1 ? { ...about, revision } : about;
  const { file } = words;
  const fields = { rehearsal: true, note: file.note, ...facts };
  switch (/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase()) {
    case 'md':
    case 'markdown':
      return toMarkdown(facts, file);
    case 'json':
      return `${JSON.stringify(fields, null, 2)}\n`;
    case 'jsonl':
    case 'ndjson':
      return `${JSON.stringify(fields)}\n`;
    case 'yaml':
    case 'yml':
      return stringify(fields);
    case 'csv':
      return toRows(facts, file).map(toCsvRow).join('');
    default:
      return toRows(facts, file)
        .map(([name, value]) => `${name}: ${value}\n`)
        .join('');
  }
}

function toMarkdown({ title, read, said, revision }: PlaceholderFacts, file: Words['file']): string {
  const reads = read.map(({ path, note }) => `- \`${path}\`${note && ` (${note})`}`);
  const answers = said.map(({ about, words }) => `${about}:\n\n${words.replace(/^/gm, '> ')}`);
  const parts = [
    `# ${title}`,
    file.note,
    ...(revision === undefined ? [] : [file.revision(revision)]),
    ...(reads.length > 0 ? [`## ${file.read}`, reads.join('\n')] : []),
    ...(answers.length > 0 ? [`## ${file.said}`, ...answers] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function toRows(
  { title, nodeId, read, said, revision }: PlaceholderFacts,
  file: Words['file'],
): [string, string][] {
  return [
    ['title', title],
    ['note', file.note],
    ['node', nodeId],
    ...(revision === undefined ? [] : [['revision', String(revision)] as [string, string]]),
    ...read.map(({ path, note }): [string, string] => ['read', note === '' ? path : `${path} (${note})`]),
    ...said.map(({ about, words }): [string, string] => [about, words]),
  ];
}

function toCsvRow(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`;
}
