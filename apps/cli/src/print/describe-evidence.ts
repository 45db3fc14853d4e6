/** The evidence sheet of a run as text. */
import type { RunEvidence } from '@crewagent/core';
import { describeTotals, describeVisit, type EvidenceVisit } from '@crewagent/protocol/evidence';
import { type Styler, sanitize } from '../terminal.ts';

const MARKS = { proved: '✔', waived: '!', missing: '✖', nothing: '·', open: '…' } as const;
const COLORS = { proved: 'green', waived: 'yellow', missing: 'red', nothing: 'dim', open: 'cyan' } as const;

export function describeEvidence(sheet: RunEvidence, style: Styler, indent = ''): string[] {
  const called = new Map(sheet.called.map((child) => [child.runId, child]));
  return [
    `${indent}${style('bold', describeTotals(sheet))}`,
    ...sheet.visits.flatMap((visit) => {
      const child = visit.calledRunId === undefined ? undefined : called.get(visit.calledRunId);
      return [
        ...toLines(visit, style).map((line) => `${indent}${line}`),
        ...(child ? describeEvidence(child, style, `${indent}    `) : []),
      ];
    }),
  ];
}

function toLines(visit: EvidenceVisit, style: Styler): string[] {
  const { outcome, title, nodeId, visit: number } = visit;
  const again = number > 1 ? `, visit ${number}` : '';
  return [
    '',
    `${style(COLORS[outcome], MARKS[outcome])} ${style('bold', sanitize(title, 200))} ${style('dim', `${sanitize(nodeId, 100)}${again}`)}`,
    ...describeVisit(visit).map(
      ({ text, mark }) => `  ${mark ? CHECKED[mark](style) : ''}${sanitize(text, 1_000)}`,
    ),
  ];
}

const CHECKED = {
  met: (style: Styler) => `${style('green', '✔')} `,
  waived: (style: Styler) => `${style('yellow', '! waived:')} `,
  missing: (style: Styler) => `${style('red', '✖')} `,
};
