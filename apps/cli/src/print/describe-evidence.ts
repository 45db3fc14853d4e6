/** What a person should know of a run besides its results: what it did differently, and what it proved. */
import type { RunEvidence } from '@crewagent/core';
import type { EvidenceVisit } from '@crewagent/protocol/evidence';
import type { RunRecord } from '@crewagent/protocol/run';
import type { StoryItem } from '@crewagent/protocol/story/items';
import type { Story } from '@crewagent/protocol/story/story';
import { changedFiles, targetOf } from '@crewagent/protocol/tool-effects';
import { type Styler, sanitize } from '../terminal.ts';
import { describeTotals } from './describe-totals.ts';
import { describeVisit } from './describe-visit.ts';

/** Changes outside the artifacts folder, refusals, missing results. */
export function describeDeviations(
  { record, view }: { readonly record: Pick<RunRecord, 'tools'>; readonly view: Pick<Story, 'timeline'> },
  missing: readonly string[],
  style: Styler,
): string[] {
  const { artifactsDir } = record.tools;
  const isOutside = (path: string): boolean => !path.startsWith(`${artifactsDir}/`);
  const section = (title: string, found: readonly string[]): string[] => {
    const lines = [...new Set(found)];
    if (lines.length === 0) return [];
    const more = lines.length - MAX_LINES;
    return [
      style('bold', title),
      ...lines.slice(0, MAX_LINES).map((line) => `  ${sanitize(line, 300)}`),
      ...(more > 0 ? [style('dim', `  and ${more} more`)] : []),
    ];
  };
  return [
    ...section('Changed outside the artifacts folder', view.timeline.flatMap(toChanged).filter(isOutside)),
    ...section('Refused', view.timeline.flatMap(toRefused)),
    ...section('Missing', missing),
  ];
}

const MAX_LINES = 12;

function toChanged(item: StoryItem): string[] {
  return item.kind === 'tool' && item.status === 'ok' ? changedFiles(item.effect) : [];
}

function toRefused(item: StoryItem): string[] {
  if (item.kind !== 'tool') return [];
  const isDenied = item.approval?.decision === 'no';
  if (item.status !== 'refused' && !isDenied) return [];
  const target = targetOf(item);
  return [`${item.name}${target === undefined ? '' : ` ${target}`}: ${isDenied ? 'denied' : item.code}`];
}

const MARKS = {
  proved: '✔',
  claimed: '?',
  waived: '!',
  missing: '✖',
  nothing: '·',
  open: '…',
  carried: '=',
} as const;
const COLORS = {
  proved: 'green',
  claimed: 'yellow',
  waived: 'yellow',
  missing: 'red',
  nothing: 'dim',
  open: 'cyan',
  carried: 'dim',
} as const;

/** The evidence sheet. */
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
