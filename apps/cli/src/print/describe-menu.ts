/**
 * Formats menus and choices: numbers and names in columns, descriptions wrapped to the terminal width. Pure.
 */
import type { ChoiceCandidate, MenuEntry } from '@crewagent/protocol/commands';
import { isOfRun, numberOf, withoutNumber } from '@crewagent/protocol/story/to-item';
import { type Styler, sanitize } from '../terminal.ts';
import { cellsOf, fit } from './text/cells.ts';
import { createReplyStream } from './text/reply-stream.ts';
import { wrapLine } from './text/wrap.ts';
import { say } from './texts/say.ts';

interface MenuOptions {
  readonly style: Styler;
  /** Terminal width; undefined without a terminal. */
  readonly width: number | undefined;
}

/** Wider names are truncated. */
const WIDEST_NAME = 28;
const GAP = '  ';
/** If fewer columns are left beside the names, descriptions go below them. */
const NARROWEST = 24;

export function describeMenu(entries: readonly MenuEntry[], options: MenuOptions): string[] {
  return toColumns(
    entries.flatMap(({ index, label, description, handlers }) => [
      { number: `${index}`, name: label === description ? '' : label, text: description },
      ...handlers.map(toChoiceRow),
    ]),
    options,
  );
}

/** Possible meanings of a line, each with the number that chooses it. */
export function describeChoices(
  { reason, candidates }: { readonly reason: string; readonly candidates: readonly ChoiceCandidate[] },
  options: MenuOptions,
): string[] {
  // A single one is not ambiguous: the agent suggests it.
  const isSuggested = candidates.length === 1 && !candidates.some(isOfRun);
  const said = candidates.some(isOfRun) ? say('choice.run') : sanitize(reason, 300);
  return [
    ...(said === '' ? [] : wrapLine(`  ${said}`, options.width)),
    ...(isSuggested ? wrapLine(`  ${say('choice.suggested')}`, options.width) : []),
  ]
    .map((line) => options.style('yellow', line))
    .concat(toColumns(candidates.map(toChoiceRow), options));
}

function toChoiceRow(choice: ChoiceCandidate): Row {
  return { number: numberOf(choice), name: '', text: withoutNumber(choice) };
}

export interface Row {
  readonly number?: string;
  readonly name: string;
  readonly text: string;
}

/** `1  create-story   Writes the next story…`; a row without a name has its text in the name column. */
export function toColumns(rows: readonly Row[], { style, width }: MenuOptions): string[] {
  const shown = rows.map(({ number = '', name, text }) => ({
    number,
    name: sanitize(name, 200),
    text: sanitize(text, 600),
  }));
  const numbers = Math.max(0, ...shown.map(({ number }) => number.length));
  const names = Math.min(WIDEST_NAME, Math.max(0, ...shown.map(({ name }) => cellsOf(name))));
  const before = GAP.length + (numbers === 0 ? 0 : numbers + GAP.length);
  const beside = before + names + GAP.length;
  const isBelow = width !== undefined && width - beside < NARROWEST;
  return shown.flatMap(({ number, name, text }) => {
    const lead = numbers === 0 ? GAP : `${GAP}${style('cyan', number.padStart(numbers))}${GAP}`;
    if (name === '') return toLines(lead, text, { column: before, width });
    const head = `${lead}${style('bold', fit(name, names))}`;
    return isBelow
      ? [head.trimEnd(), ...toLines(' '.repeat(before), text, { column: before, width })]
      : toLines(`${head}${GAP}`, text, { column: beside, width });
  });
}

type LineOptions = Pick<MenuOptions, 'width'> & { readonly column: number };

/** Wraps a text after `lead`; further lines are indented to the column. */
function toLines(lead: string, text: string, { column, width }: LineOptions): string[] {
  const stream = createReplyStream({ indent: '', width: width && Math.max(1, width - column - 1) });
  const [first = '', ...others] = `${stream.push(text)}${stream.end()}`.split('\n');
  return [`${lead}${first}`.trimEnd(), ...others.map((line) => `${' '.repeat(column)}${line}`)];
}
