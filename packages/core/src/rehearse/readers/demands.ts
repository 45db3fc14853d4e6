/**
 * What the brief of a node and the refusals in it ask for, in the words that a model gets: files with what they must contain,
 * files to read, a person to be heard. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import type { CheckKind } from '@crewagent/protocol/proof';
import type { ContentDemands } from '../../llm/rehearsal/content.ts';
import type { MadeCall } from '../../llm/rehearsal/visit.ts';

export interface Demands {
  /** By mount path; braces and globs are filled in. */
  readonly files: ReadonlyMap<string, ContentDemands>;
  /** To be read before anything is written. */
  readonly reads: readonly string[];
  /** The person must have been heard. */
  readonly asksPerson: boolean;
  /** Refused attempts to leave the node, oldest first. */
  readonly refusals: readonly Refusal[];
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** Kinds of the checks that are not met. */
  readonly kinds: readonly CheckKind[];
  /** Index of the call. */
  readonly at: number;
}

export function readDemands(
  checkLines: readonly string[],
  calls: readonly MadeCall[],
  fill: (path: string) => string,
): Demands {
  const files = new Map<string, ContentDemands>();
  const reads = new Set<string>();
  const refusals: Refusal[] = [];
  const demand = (path: string, wanted: ContentDemands): void => {
    const full = toFilePath(fill(path));
    files.set(full, merge(files.get(full) ?? {}, wanted));
  };
  for (const line of checkLines) {
    const [, read] = /^read (.+) before you write$/.exec(line) ?? [];
    const [, path = '', demands = ''] = /^(.+?): ((?:written|exists).*)$/.exec(line) ?? [];
    if (read !== undefined) reads.add(fill(read));
    else if (path !== '') demand(path, toContentDemands(demands));
  }
  for (const [at, { result }] of calls.entries()) {
    if (result.ok || !LEAVING_ERRORS.has(result.code)) continue;
    const { code, message, details } = result;
    const missing = Array.isArray(details.missing) ? details.missing.filter(isObject) : [];
    for (const { id, path, kind, message: issue } of missing) {
      if (kind === 'read') reads.add(String(path ?? id));
      else if (kind !== 'wait' && kind !== 'verify')
        demand(String(path ?? id), toMissing(kind, String(issue)));
    }
    const outputs = Array.isArray(details.outputsMissing) ? details.outputsMissing.map(String) : [];
    for (const path of outputs) demand(path, {});
    refusals.push({ code, message, kinds: missing.map(({ kind }) => kind as CheckKind), at });
  }
  const asksPerson =
    checkLines.some((line) => line === 'the user answers in this step') ||
    refusals.some(({ kinds }) => kinds.includes('wait'));
  return { files, reads: [...reads], asksPerson, refusals };
}

const LEAVING_ERRORS = new Set(['E_OUTPUT_INCOMPLETE', 'E_PERSON_NOT_HEARD', 'E_OUTPUTS_MISSING']);

/** "written in this step, 120 words or more, without {{ | TODO, headings Scope | Risks"; the end may be cut off. */
function toContentDemands(text: string): ContentDemands {
  const isCut = text.endsWith('…');
  const listAfter = (name: string): string[] => {
    const [, list, end] =
      new RegExp(`, ${name} (.*?)(, (?:without|with|matches|columns|headings) |$)`).exec(text) ?? [];
    const items = list?.split(' | ') ?? [];
    return isCut && end === '' ? items.slice(0, -1) : items;
  };
  const [, words] = /(\d+) words or more/.exec(text) ?? [];
  return {
    ...(words === undefined ? {} : { minWords: Number(words) }),
    headings: listAfter('headings'),
    contains: listAfter('with'),
    notContains: listAfter('without'),
    columns: listAfter('columns'),
  };
}

/** `prd.md lacks the headings "Scope", "Risks".` */
function toMissing(kind: unknown, message: string): ContentDemands {
  const quoted = [...message.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
  switch (kind) {
    case 'headings':
    case 'contains':
    case 'notContains':
    case 'columns':
      return { [kind]: quoted };
    case 'minWords':
      return { minWords: Number(/needs (\d+)/.exec(message)?.[1] ?? 0) };
    default:
      return {};
  }
}

function merge(one: ContentDemands, other: ContentDemands): ContentDemands {
  const both = (key: 'headings' | 'contains' | 'notContains' | 'columns'): string[] => [
    ...new Set([...(one[key] ?? []), ...(other[key] ?? [])]),
  ];
  return {
    minWords: Math.max(one.minWords ?? 0, other.minWords ?? 0),
    headings: both('headings'),
    contains: both('contains'),
    notContains: both('notContains'),
    columns: both('columns'),
  };
}

/** A glob stands for one file of any name. */
function toFilePath(path: string): string {
  const named = path.replaceAll('**/', '').replaceAll('*', 'rehearsal');
  return named.startsWith('@') ? named : `@project/${named.replace(/^(?:\.\/+)+/, '')}`;
}
