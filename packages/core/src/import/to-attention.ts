/**
 * The lines of a report to read first, at most ten: what was lost, what was inferred, what the runtime lacks. Pure.
 */
import type { ImportReport } from '@crewagent/protocol/import-report';
import { clip } from './source/import-notes.ts';
import { UNCHECKED } from './steps/step-proof.ts';

const MAX_LINES = 10;

export function toAttention(report: Omit<ImportReport, 'attention'>): string[] {
  const { edits, findings, totals, constructs, unresolved, capabilities, repairs, source } = report;
  const edges = report.workflows.flatMap(({ id, edges: all }) => all.map((edge) => ({ ...edge, id })));
  const lost = edges.filter(({ certainty }) => certainty === 'dropped');
  const inferred = edges.filter(({ certainty }) => certainty === 'inferred');
  const dropped = constructs.filter(({ certainty }) => certainty === 'dropped');
  const items = dropped.filter(({ construct }) => construct === 'menu item');
  const other = dropped.filter(({ construct }) => construct !== 'menu item');
  const unchecked = constructs.filter(({ construct }) => construct === UNCHECKED);
  const missing = [...new Set(unresolved.map(({ reference }) => reference))];
  const total = totals.edges.exact + totals.edges.inferred + totals.edges.dropped;
  const check = inferred.length === 1 ? 'is inferred; check it' : 'are inferred; check them';
  const lines: [entries: readonly unknown[], line: string][] = [
    [
      edits.conflicts,
      `Edited by hand and changed in the source; your version was kept: ${list(edits.conflicts)}.`,
    ],
    [findings, `Skipped for safety: ${list(findings.map(({ file }) => file))}.`],
    [
      lost,
      `Moves to steps that the source does not have: ${list(lost.map(({ id, from, to }) => `${id}: ${from} → ${to}`))}.`,
    ],
    [other, `Dropped: ${list(other.map(({ file, message }) => `${file} (${message})`))}`],
    [
      inferred,
      `${inferred.length} of ${total} edges ${check} in ${list([...new Set(inferred.map(({ id }) => id))])}.`,
    ],
    [
      items,
      `${plural(items.length, 'menu item was', 'menu items were')} dropped because the target is not in the source: ${list(items.map(({ text = '' }) => clip(text, 40)))}.`,
    ],
    [
      missing,
      `${plural(missing.length, 'reference is', 'references are')} not in the source: ${list(missing)}.${report.checks?.rehearsal?.missingFiles === undefined ? '' : ` ${ONLY_MISSING}`}`,
    ],
    [
      capabilities,
      `The text relies on ${list(capabilities.map(({ capability, count, fallback }) => `${capability} (${count}×${fallback ? ', with a fallback' : ''})`))}; check what happens without it.`,
    ],
    [repairs, `YAML was repaired in ${list([...new Set(repairs.map(({ file }) => file))])}.`],
    [
      source.licence === undefined ? [source] : [],
      'The source has no licence file. Make sure that you may use it.',
    ],
    [
      unchecked,
      `A run proves nothing in ${list(unchecked.map(({ workflow = '' }) => workflow))}: the text says neither where it waits nor what it writes.`,
    ],
  ];
  return lines.flatMap(([entries, line]) => (entries.length > 0 ? [line] : [])).slice(0, MAX_LINES);
}

/** The rehearsal failed, and a person should know that the package works. */
const ONLY_MISSING =
  'Nothing else failed: every step was rehearsed, and a run continues without these files.';

const SHOWN = 4;

function list(items: readonly string[]): string {
  const more = items.length - SHOWN;
  return items.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
