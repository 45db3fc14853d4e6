/** The lines of a visit of a node on the evidence sheet. Pure. */
import type { EvidenceVisit } from '@crewagent/protocol/evidence';

interface VisitLine {
  readonly text: string;
  /** Of a check, or an output. */
  readonly mark?: 'met' | 'waived' | 'missing';
}

export function describeVisit(visit: EvidenceVisit): VisitLine[] {
  const { usage, turns, durationMs, firstTurn, requestSha256, decision } = visit;
  const tokens = usage.promptTokens + usage.completionTokens;
  const facts = [
    ...(firstTurn === undefined ? [] : [`Request ${firstTurn}${toHash(requestSha256)}`]),
    `${turns} ${turns === 1 ? 'turn' : 'turns'}`,
    `${tokens.toLocaleString('en-US')} tokens${usage.isEstimated ? ' (estimated)' : ''}`,
    ...(usage.costUsd === undefined ? [] : [`$${usage.costUsd.toFixed(4)}`]),
    `${Math.round(durationMs / 1_000)} s`,
  ];
  return [
    ...describeCarried(visit),
    ...(visit.carriedFrom ? [] : [{ text: facts.join(', ') }]),
    ...(visit.isStale ? [{ text: 'The step changed since, with a new version of the package' }] : []),
    ...visit.spoken.map(({ kind, text, by }) => ({ text: `${SPEAKERS[by ?? 'person']} (${kind}): ${text}` })),
    ...visit.files.map(({ path, bytes, before, after, isOutsideEdit }) => ({
      text: `${path}: ${bytes} bytes, ${before?.slice(0, HASH_CHARS) ?? 'new'} → ${after.slice(0, HASH_CHARS)}${isOutsideEdit ? ', changed by another program' : ''}`,
    })),
    ...visit.checks.map(({ id, kind, ok, message, isWaived }): VisitLine => {
      if (ok && kind === 'wait' && visit.outcome === 'claimed') return { text: '? wait: claimed' };
      if (ok) return { text: `${kind}: ${id}`, mark: 'met' };
      return { text: message, mark: isWaived ? 'waived' : 'missing' };
    }),
    ...visit.outputsMissing.map((path): VisitLine => ({ text: `${path} was not written`, mark: 'missing' })),
    ...visit.waivers.map(({ check, reason }) => ({
      text: `The person accepted the step without ${check}: ${reason}`,
    })),
    ...Object.entries(visit.refusals).map(([code, count]) => ({ text: `Refused: ${count} × ${code}` })),
    ...(decision
      ? [
          {
            text: `→ ${decision.to}${decision.by ? `, ${DECIDERS[decision.by]}` : ''}${decision.reason ? `: ${decision.reason}` : ''}`,
          },
        ]
      : []),
  ];
}

/** What it was then: nothing of it is proved by this run. */
function describeCarried({ carriedFrom, carriedFiles = [] }: EvidenceVisit): VisitLine[] {
  if (!carriedFrom) return [];
  const { runId, visit, outcome } = carriedFrom;
  return [
    { text: `Carried over from run ${runId}, visit ${visit}, where it was: ${outcome}` },
    ...carriedFiles.map(({ kind, path, sha256 = '?' }) => ({
      text: `${kind === 'read' ? 'had read' : 'had written'} ${path}: ${sha256.slice(0, HASH_CHARS)}`,
    })),
  ];
}

const HASH_CHARS = 12;

function toHash(sha256: string | undefined): string {
  return sha256 === undefined ? '' : ` (${sha256.slice(0, HASH_CHARS)})`;
}

const SPEAKERS = {
  person: 'The person',
  flag: 'For the person, with --input',
  unattended: 'For the person, unattended',
  claimed: 'The person, as another agent claims',
} as const;
const DECIDERS = {
  person: 'chosen by the person',
  flag: 'chosen for the person (--input)',
  unattended: 'chosen for the person (--continue-waiting)',
  claimed: 'chosen by the person, as another agent claims',
  waiver: 'waived by the person',
} as const;
