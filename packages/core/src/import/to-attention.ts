/**
 * The lines of a report to read first, at most ten: what was lost, what was inferred, what the runtime lacks. Pure.
 */
import type { ImportReport } from '@crewagent/protocol/import-report';
import { clip } from './import-notes.ts';
import { UNCHECKED } from './steps/step-proof.ts';

const MAX_LINES = 10;

export function toAttention(report: Omit<ImportReport, 'attention'>): string[] {
  const { edits, findings, totals, constructs, unresolved, capabilities, repairs, source } = report;
  const edges = report.workflows.flatMap(({ id, edges: all }) => all.map((edge) => ({ ...edge, id })));
  const lost = edges.filter(({ certainty }) => certainty === 'dropped');
  const inferred = edges.filter(({ certainty }) => certainty === 'inferred');
  const items = constructs.filter(
    ({ construct, certainty }) => construct === 'menu item' && certainty === 'dropped',
  );
  const other = constructs.filter(
    ({ construct, certainty }) => construct !== 'menu item' && certainty === 'dropped',
  );
  const unchecked = constructs.filter(({ construct }) => construct === UNCHECKED);
  const total = totals.edges.exact + totals.edges.inferred + totals.edges.dropped;
  return [
    line(
      edits.conflicts,
      (all) => `Edited by hand and changed in the source; your version was kept: ${list(all)}.`,
    ),
    line(findings, (all) => `Skipped for safety: ${list(all.map(({ file }) => file))}.`),
    line(
      lost,
      (all) =>
        `Moves to steps that the source does not have: ${list(all.map(({ id, from, to }) => `${id}: ${from} → ${to}`))}.`,
    ),
    line(other, (all) => `Dropped: ${list(all.map(({ file, message }) => `${file} (${message})`))}`),
    line(
      inferred,
      (all) =>
        `${all.length} of ${total} edges ${all.length === 1 ? 'is inferred; check it' : 'are inferred; check them'} in ${list([...new Set(all.map(({ id }) => id))])}.`,
    ),
    line(
      items,
      (all) =>
        `${plural(all.length, 'menu item was', 'menu items were')} dropped because the target is not in the source: ${list(all.map(({ text = '' }) => clip(text, 40)))}.`,
    ),
    line(
      [...new Set(unresolved.map(({ reference }) => reference))],
      (all) => `${plural(all.length, 'reference is', 'references are')} not in the source: ${list(all)}.`,
    ),
    line(
      capabilities,
      (all) =>
        `The text relies on ${list(all.map(({ capability, count, fallback }) => `${capability} (${count}×${fallback ? ', with a fallback' : ''})`))}; check what happens without it.`,
    ),
    line(repairs, (all) => `YAML was repaired in ${list([...new Set(all.map(({ file }) => file))])}.`),
    source.licence === undefined ? ['The source has no licence file. Make sure that you may use it.'] : [],
    line(
      unchecked,
      (all) =>
        `A run proves nothing in ${list(all.map(({ workflow = '' }) => workflow))}: the text says neither where it waits nor what it writes.`,
    ),
  ]
    .flat()
    .slice(0, MAX_LINES);
}

function line<T>(entries: readonly T[], toText: (entries: readonly T[]) => string): string[] {
  return entries.length === 0 ? [] : [toText(entries)];
}

const SHOWN = 4;

function list(items: readonly string[]): string {
  const more = items.length - SHOWN;
  return items.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
