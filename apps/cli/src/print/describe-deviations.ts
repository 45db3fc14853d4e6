/** What a person should know of a run besides its results: changes outside the artifacts folder, refusals, missing results. */
import type { RunRecord } from '@crewagent/protocol/run';
import type { StoryItem } from '@crewagent/protocol/story/items';
import type { Story } from '@crewagent/protocol/story/story';
import { changedFiles, targetOf } from '@crewagent/protocol/tool-effects';
import { type Styler, sanitize } from '../terminal.ts';

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
