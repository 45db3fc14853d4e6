/** The evidence sheet of an exported run: one line of totals, and lines of text for each visit. Pure. */
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
        lines: toLines(visit).map(toLine),
      },
      ...(child ? toVisits(child, `${title} › `) : []),
    ];
  });
}

const OUTCOMES = {
  proved: 'proved',
  waived: 'accepted by a person',
  missing: 'incomplete',
  nothing: 'nothing to prove',
  open: 'not left',
} as const;

function toLines(visit: EvidenceVisit): string[] {
  const { usage, turns, startedAt, endedAt, refusals, decision } = visit;
  const tokens = usage.promptTokens + usage.completionTokens;
  const seconds = Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1_000);
  return [
    `${turns} ${turns === 1 ? 'turn' : 'turns'}, ${tokens.toLocaleString('en-US')} tokens, ${seconds} s`,
    ...visit.spoken.map(({ kind, text, by }) => `${SPEAKERS[by ?? 'person']} (${kind}): ${text}`),
    ...visit.files.map(
      ({ path, bytes, before, after, isOutsideEdit }) =>
        `${path}: ${bytes} bytes, ${before?.slice(0, 12) ?? 'new'} → ${after.slice(0, 12)}${isOutsideEdit ? ', changed by another program' : ''}`,
    ),
    ...visit.checks.map(({ id, kind, ok, message, isWaived }) =>
      ok ? `✔ ${kind}: ${id}` : `${isWaived ? 'Accepted although' : '✖'} ${message}`,
    ),
    ...visit.outputsMissing.map((path) => `✖ ${path} was not written`),
    ...visit.waivers.map(({ check, reason }) => `A person accepted the step without ${check}: ${reason}`),
    ...Object.entries(refusals).map(([code, count]) => `Refused: ${count} × ${code}`),
    ...(decision
      ? [
          `→ ${decision.to}${decision.by ? `, ${DECIDERS[decision.by]}` : ''}${decision.reason ? `: ${decision.reason}` : ''}`,
        ]
      : []),
  ];
}

const SPEAKERS = {
  person: 'Person',
  flag: 'For the person, with --input',
  unattended: 'For the person, unattended',
} as const;
const DECIDERS = {
  person: 'chosen by the person',
  flag: 'chosen for the person (--input)',
  unattended: 'chosen for the person (--continue-waiting)',
  waiver: 'accepted by the person',
} as const;
