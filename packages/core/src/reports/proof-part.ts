/** The evidence of a run in an export: one line of totals, then lines for each visit of a step. Pure. */
import type { EvidenceSheet, EvidenceVisit } from '@crewagent/protocol/evidence';
import { toGrouped, toShortPath } from '@crewagent/protocol/story/describe-item';
import type { RunEvidence } from './read-evidence.ts';
import { toLine } from './text.ts';
import type { Words } from './words.ts';

export interface VisitProof {
  readonly title: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly outcome: string;
  /** What was proved, said and accepted. */
  readonly lines: readonly string[];
  /** For those who check it: requests, sizes and hashes. */
  readonly details: readonly string[];
}

/** Undefined if no step declares anything to prove. */
export function toProofPart(sheet: RunEvidence | undefined, words: Words) {
  if (!sheet || !hasProof(sheet)) return undefined;
  return {
    sentence: describeTotals(sheet, words),
    isProved: sheet.isProved,
    visits: toVisits(sheet, '', words),
  };
}

function hasProof({ visits, called }: RunEvidence): boolean {
  return (
    visits.some(({ outcome, checks }) => checks.length > 0 || !QUIET.has(outcome)) || called.some(hasProof)
  );
}

const QUIET: ReadonlySet<EvidenceVisit['outcome']> = new Set(['nothing', 'open'] as const);

function describeTotals({ totals }: Pick<EvidenceSheet, 'totals'>, { t }: Words): string {
  const { nodes, proved, claimed, waived, missing, nothing, open, carried = 0 } = totals;
  return [
    t('proof.proved', { count: nodes, proved }),
    ...(carried > 0 ? [t('proof.carried', { number: carried })] : []),
    ...(claimed > 0 ? [t('proof.claimed', { number: claimed })] : []),
    ...(waived > 0 ? [t('proof.waived', { number: waived })] : []),
    ...(missing > 0 ? [t('proof.missing', { number: missing })] : []),
    ...(nothing > 0 ? [t('proof.nothing', { count: nothing, number: nothing })] : []),
    ...(open > 0 ? [t('proof.open', { number: open })] : []),
  ].join(' · ');
}

/** Visits of a called run follow the visit that called it. */
function toVisits({ visits, called }: RunEvidence, within: string, words: Words): VisitProof[] {
  return visits.flatMap((visit) => {
    const title = `${within}${toLine(visit.title)}`;
    const child = called.find(({ runId }) => runId === visit.calledRunId);
    return [
      {
        title,
        nodeId: toLine(visit.nodeId),
        visit: visit.visit,
        outcome: words.t(`proofOf.${visit.outcome}`),
        lines: toLines(visit, words).map(toLine),
        details: toDetails(visit, words).map(toLine),
      },
      ...(child ? toVisits(child, `${title} › `, words) : []),
    ];
  });
}

function toLines(visit: EvidenceVisit, { t }: Words): string[] {
  const { spoken, files, checks, outputsMissing, waivers, refusals } = visit;
  const met = new Map<string, string[]>();
  for (const { id, kind, path, ok } of checks) {
    // That a person was heard is only claimed: what they are said to have said stands above.
    if (!ok || (kind === 'wait' && visit.outcome === 'claimed')) continue;
    const about = kind === 'wait' ? '' : toShortPath(path ?? id);
    met.set(about, [...(met.get(about) ?? []), t(`met.${kind}`)]);
  }
  const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0);
  return [
    ...spoken.map(({ kind, text, by }) =>
      t(`said.${by ?? 'person'}`, { text: kind === 'approval' ? t('approved') : text }),
    ),
    ...[...met].map(([about, kinds]) => `✔ ${about === '' ? '' : `${about}: `}${kinds.join(', ')}`),
    ...checks
      .filter(({ ok }) => !ok)
      .map(({ message, isWaived }) => (isWaived ? t('waived', { text: message }) : `✖ ${message}`)),
    ...outputsMissing.map((path) => `✖ ${t('notWritten', { path })}`),
    ...waivers.map(({ check, reason }) => t('accepted', { check, reason })),
    ...files
      .filter(({ isOutsideEdit }) => isOutsideEdit)
      .map(({ path }) => t('outside', { path: toShortPath(path) })),
    ...(refused > 0 ? [t('refused', { count: refused })] : []),
  ];
}

const HASH_CHARS = 12;

function toDetails(visit: EvidenceVisit, { t }: Words): string[] {
  const { usage, turns, durationMs, firstTurn, requestSha256 = '', files } = visit;
  const hash = requestSha256.slice(0, HASH_CHARS);
  const numbers = [
    ...(firstTurn === undefined ? [] : [t('request', { number: firstTurn, hash }).trim()]),
    t('turns', { count: turns }),
    t('tokenCount', { number: toGrouped(usage.promptTokens + usage.completionTokens) }),
    t('seconds', { number: Math.round(durationMs / 1_000) }),
  ];
  return [
    numbers.join(' · '),
    ...files.map(({ path, bytes, before, after }) =>
      t('bytes', {
        path: toShortPath(path),
        number: bytes,
        before: before?.slice(0, HASH_CHARS) ?? t('newFile'),
        after: after.slice(0, HASH_CHARS),
      }),
    ),
  ];
}
