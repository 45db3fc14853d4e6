/** What is proved of a run, in one line: "proved: 14 of 16 steps; 1 waived". */
import type { EvidenceSheet } from '@crewagent/protocol/evidence';
import { say } from './texts/say.ts';

export function describeTotals({ totals }: Pick<EvidenceSheet, 'totals'>): string {
  const { nodes, proved, claimed, waived, missing, nothing, open, carried = 0 } = totals;
  const rest = Object.entries({ carried, claimed, waived, missing, nothing, open });
  return [
    say('totals.proved', { count: nodes, proved }),
    ...rest
      .filter(([, count]) => count > 0)
      .map(([what, count]) => say(`totals.${what as 'open'}`, { count })),
  ].join(say('totals.and'));
}
