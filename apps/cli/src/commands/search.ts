/** `crewagent search`: finds words in the messages of all Works and in the files they wrote. */
import { CrewError, createWorkSearch } from '@crewagent/core';
import type { FoundText, FoundWork, Snippet } from '@crewagent/protocol/api/search';
import { openRuntime } from '../open-runtime.ts';
import { say } from '../print/texts/say.ts';
import { print, sanitize, style } from '../terminal.ts';

export interface SearchOptions {
  readonly limit: string;
  readonly json?: true;
}

/** The command waits until all Works are in the index. */
const BUDGET_MS = 600_000;

export async function search(words: readonly string[], { limit, json }: SearchOptions): Promise<void> {
  const text = words.join(' ');
  if (!/^[1-9]\d{0,2}$/.test(limit))
    throw new CrewError(
      'USAGE',
      `"${sanitize(limit, 40)}" is not a number of results; give one from 1 to 50.`,
    );
  const find = createWorkSearch(openRuntime().store);
  const found = await find({ text, limit: Number(limit), budgetMs: BUDGET_MS });
  if (json) print(JSON.stringify(found));
  else if (found.works.length === 0) print(toEmptySentence(found));
  else for (const line of found.works.flatMap(toLines)) print(line);
}

function toEmptySentence({ total }: FoundText): string {
  return say('search.nothing', { count: total });
}

function toLines({ workId, title, updatedAt, snippets }: FoundWork): string[] {
  const head = [
    style('bold', sanitize(title, 200) || workId),
    style('dim', `${updatedAt.slice(0, 16).replace('T', ' ')}  ${workId}`),
  ].join('  ');
  return [
    head,
    ...snippets.filter(({ kind }) => kind !== 'title').map((snippet) => `  ${toLine(snippet)}`),
    '',
  ];
}

function toLine({ kind, text, marks, path }: Snippet): string {
  const name =
    path === undefined ? say(`search.kind.${kind}`) : sanitize(path.replace(/^@project\//, ''), 200);
  let at = 0;
  const parts = marks.map(([start, end]) => {
    const part = `${sanitize(text.slice(at, start), 400)}${style('yellow', sanitize(text.slice(start, end), 400))}`;
    at = end;
    return part;
  });
  return `${style('dim', `${name}:`)} ${parts.join('')}${sanitize(text.slice(at), 400)}`;
}
