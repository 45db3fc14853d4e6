/** The evidence sheet of a run as text. */
import type { RunEvidence } from '@crewagent/core';
import { describeTotals, type EvidenceVisit } from '@crewagent/protocol/evidence';
import { type Styler, sanitize } from '../terminal.ts';
import { describeUsage } from './describe-run.ts';

const MARKS = { proved: '✔', waived: '!', missing: '✖', nothing: '·', open: '…' } as const;
const COLORS = { proved: 'green', waived: 'yellow', missing: 'red', nothing: 'dim', open: 'cyan' } as const;

export function describeEvidence(sheet: RunEvidence, style: Styler, indent = ''): string[] {
  const called = new Map(sheet.called.map((child) => [child.runId, child]));
  return [
    `${indent}${style('bold', describeTotals(sheet))}`,
    ...sheet.visits.flatMap((visit) => {
      const child = visit.calledRunId === undefined ? undefined : called.get(visit.calledRunId);
      return [
        ...describeVisit(visit, style).map((line) => `${indent}${line}`),
        ...(child ? describeEvidence(child, style, `${indent}    `) : []),
      ];
    }),
  ];
}

function describeVisit(visit: EvidenceVisit, style: Styler): string[] {
  const { outcome, title, nodeId, visit: number, turns, usage, startedAt, endedAt, firstTurn } = visit;
  const again = number > 1 ? `, visit ${number}` : '';
  const seconds = Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1_000);
  const request = firstTurn === undefined ? '' : `request ${firstTurn}, `;
  const refusals = Object.entries(visit.refusals).map(([code, count]) => `${count} × ${code}`);
  const { decision } = visit;
  return [
    '',
    `${style(COLORS[outcome], MARKS[outcome])} ${style('bold', sanitize(title, 200))} ${style('dim', `${sanitize(nodeId, 100)}${again}`)}`,
    `  ${style('dim', `${request}${describeUsage(turns, usage)}, ${seconds} s`)}`,
    ...visit.spoken.map(
      ({ kind, text, by }) => `  ${SPEAKERS[by ?? 'person']} (${kind}): ${sanitize(text, 200)}`,
    ),
    ...visit.files.map(
      ({ path, before, after, bytes, isOutsideEdit }) =>
        `  ${sanitize(path, 300)}  ${bytes} bytes, ${before?.slice(0, 8) ?? 'new'} → ${after.slice(0, 8)}${isOutsideEdit ? ', changed by another program' : ''}`,
    ),
    ...visit.checks.map(({ id, kind, ok, message, isWaived }) =>
      ok
        ? `  ${style('green', '✔')} ${kind} ${sanitize(id, 300)}`
        : `  ${isWaived ? style('yellow', '! waived:') : style('red', '✖')} ${sanitize(message, 500)}`,
    ),
    ...visit.waivers.map(({ check, reason }) => `  waived ${sanitize(check, 300)}: ${sanitize(reason, 500)}`),
    ...visit.outputsMissing.map((path) => `  ${style('red', '✖')} ${sanitize(path, 300)} was not written`),
    ...(refusals.length > 0 ? [`  refused: ${refusals.join(', ')}`] : []),
    ...(decision
      ? [
          `  → ${sanitize(decision.to, 100)}${decision.by ? `, ${DECIDERS[decision.by]}` : ''}${decision.reason ? `: ${sanitize(decision.reason, 300)}` : ''}`,
        ]
      : []),
  ];
}

const SPEAKERS = { person: 'you', flag: 'for you, with --input', unattended: 'for you, unattended' } as const;
const DECIDERS = {
  person: 'you chose',
  flag: 'chosen for you (--input)',
  unattended: 'chosen for you (--continue-waiting)',
  waiver: 'waived by you',
} as const;
