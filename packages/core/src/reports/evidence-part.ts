/** The evidence sheet of an exported run: one line of totals, and lines of text for each visit. Pure. */
import { describeVisit } from '@crewagent/protocol/describe-visit';
import { describeTotals, type EvidenceVisit } from '@crewagent/protocol/evidence';
import type { RunEvidence } from './read-evidence.ts';
import { toLine } from './text.ts';

export interface EvidencePart {
  readonly sentence: string;
  readonly isProved: boolean;
  readonly visits: readonly EvidencePartVisit[];
}

interface EvidencePartVisit {
  readonly title: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly outcome: string;
  readonly lines: readonly string[];
}

/** Undefined if no step declares anything to prove. */
export function toEvidencePart(sheet: RunEvidence | undefined): EvidencePart | undefined {
  if (!sheet || !hasProof(sheet)) return undefined;
  const sentence = describeTotals(sheet).replace(/^p/, 'P');
  return { sentence: `${sentence}.`, isProved: sheet.isProved, visits: toVisits(sheet, '') };
}

function hasProof({ visits, called }: RunEvidence): boolean {
  return (
    visits.some(({ outcome, checks }) => checks.length > 0 || !QUIET.has(outcome)) || called.some(hasProof)
  );
}

const QUIET: ReadonlySet<EvidenceVisit['outcome']> = new Set(['nothing', 'open'] as const);

/** Visits of a called run follow the visit that called it. */
function toVisits({ visits, called }: RunEvidence, within: string): EvidencePartVisit[] {
  return visits.flatMap((visit) => {
    const title = `${within}${toLine(visit.title)}`;
    const child = called.find(({ runId }) => runId === visit.calledRunId);
    return [
      {
        title,
        nodeId: toLine(visit.nodeId),
        visit: visit.visit,
        outcome: OUTCOMES[visit.outcome],
        lines: describeVisit(visit).map(({ text, mark }) => toLine(`${mark ? MARKS[mark] : ''}${text}`)),
      },
      ...(child ? toVisits(child, `${title} › `) : []),
    ];
  });
}

const OUTCOMES = {
  proved: 'proved',
  waived: 'waived by the person',
  missing: 'incomplete',
  nothing: 'nothing to prove',
  open: 'not left',
} as const;

const MARKS = { met: '✔ ', waived: 'Waived: ', missing: '✖ ' } as const;
