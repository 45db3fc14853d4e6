/**
 * The summary at the start of an exported run: outcome, changed files, decisions with their reasons, questions with their
 * answers, and usage. Pure.
 */

import type { RunModel, Usage } from '@crewagent/protocol/model';
import { toStatus } from '@crewagent/protocol/status';
import { HAS_MOVED, toShortPath } from '@crewagent/protocol/story/describe-item';
import type { ItemOf, StoryItem } from '@crewagent/protocol/story/items';
import { timesOf } from '@crewagent/protocol/story/node-visits';
import type { Story } from '@crewagent/protocol/story/story';
import { joinSentences } from '@crewagent/protocol/texts/texts';
import { isFileChange, pathsOf } from '@crewagent/protocol/tool-effects';
import { toEntry } from './entries.ts';
import { type Fact, toBlock, toLine } from './text.ts';
import type { Words } from './words.ts';

export type Summary = ReturnType<typeof toSummary>;

const MAX_DIFF = 20_000;

/** `called`: the runs that it called, at any depth, whose files count as its own. */
export function toSummary(view: Story, words: Words, called: readonly Story[] = []) {
  const changes = toChanges(view, words);
  const steps = countSteps(view);
  const { isCompleted, isFailed } = toStatus(view);
  const outcome: 'completed' | 'failed' | 'open' = isCompleted ? 'completed' : isFailed ? 'failed' : 'open';
  return {
    outcome,
    sentence: isCompleted
      ? toEnding(view, steps, words)
      : toLine(view.reason?.message ?? words.t('ending.open')),
    numbers: toNumbers({ view, steps, files: countFiles([view, ...called]) }, words),
    changes,
    decisions: toDecisions(view, words),
    questions: view.timeline.flatMap((item) => {
      const entry =
        item.kind === 'question' ? toEntry(item, { maxAnswer: 0, titleOf: (id) => id, words }) : undefined;
      return entry?.kind === 'question' ? entry.questions : [];
    }),
  };
}

function countFiles(runs: readonly Story[]): number {
  return new Set(runs.flatMap(({ timeline }) => standingChangesIn(timeline).changes.map(({ path }) => path)))
    .size;
}

/** Counts as the progress on the page does: the last step of a completed run is done, whatever its document lists. */
function countSteps(view: Story) {
  const { state, nodes } = view;
  const isDone = toStatus(view).isCompleted;
  const completed = new Set(state.stepsCompleted);
  const done = nodes.filter(({ id }) => (id === state.currentNodeId ? isDone : completed.has(id))).length;
  // Steps of branches that it did not take.
  const skipped = isDone ? nodes.length - done : 0;
  return { done, skipped, total: nodes.length - skipped };
}

type StepCounts = ReturnType<typeof countSteps>;

function toEnding({ model }: Story, { skipped }: StepCounts, { t }: Words): string {
  const sentence = t(skipped === 0 ? 'ending.all' : 'ending.some');
  return model?.kind === 'rehearsal' ? joinSentences(sentence, t('ending.rehearsed')) : sentence;
}

interface Counted {
  readonly view: Story;
  readonly steps: StepCounts;
  readonly files: number;
}

function toNumbers({ view, steps, files }: Counted, words: Words): Fact[] {
  const { usage, model, visits } = view;
  const { t } = words;
  // What happens after the end, such as an undo, took no time of the run.
  const { workedMs, waitedMs } = timesOf(visits);
  const numbers: [string, string | undefined][] = [
    [t('number.steps'), t(steps.skipped === 0 ? 'number.stepsOf' : 'number.stepsSkipped', steps)],
    [t('number.files'), String(files)],
    [t('number.time'), visits.length === 0 ? undefined : toDuration(workedMs, words)],
    [t('number.waited'), waitedMs < 60_000 ? undefined : toDuration(waitedMs, words)],
    [t('number.cost'), describeCost(usage, model, words)],
  ];
  return numbers.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

/** Only a provider costs something; a price that is not known is called unknown, never 0. */
export function describeCost(
  { costUsd }: Usage,
  model: RunModel | undefined,
  { t }: Words,
): string | undefined {
  if (model && model.kind !== 'provider') return undefined;
  return costUsd === undefined
    ? t('number.priceUnknown')
    : `$${costUsd.toFixed(costUsd > 0 && costUsd < 0.01 ? 4 : 2)}`;
}

function toDuration(ms: number, { t }: Words): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return t('number.moment');
  if (minutes < 60) return t('number.minutes', { minutes });
  return t('number.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** Lines of one unified diff per change of a file; if no diff is known, the text that was written last. */
function toChanges({ timeline }: Story, words: Words) {
  const changes = new Map<string, { diffs: string[][]; text: string; added: number; removed: number }>();
  for (const { path, item } of standingChangesIn(timeline).changes) {
    const known = changes.get(path) ?? { diffs: [], text: '', added: 0, removed: 0 };
    if (item.effect.diff !== undefined)
      known.diffs.push(toBlock(item.effect.diff, MAX_DIFF, words).split('\n'));
    else known.text = toBlock(contentOf(item.arguments), MAX_DIFF, words);
    known.added += item.effect.lines?.added ?? 0;
    known.removed += item.effect.lines?.removed ?? 0;
    changes.set(path, known);
  }
  return [...changes].map(([path, change]) => ({ path: toLine(toShortPath(path)), ...change }));
}

/** The text a call wrote; calls with other arguments have none. */
function contentOf(text: string): string {
  try {
    const { content } = JSON.parse(text) as { readonly content?: unknown };
    return typeof content === 'string' ? content : '';
  } catch {
    return '';
  }
}

/** Moves that say why: between steps that only follow each other nothing was decided. */
function toDecisions({ timeline, nodes }: Story, words: Words) {
  const titles = new Map(nodes.map(({ id, title }) => [id, title]));
  return timeline.flatMap((item) =>
    item.kind === 'move' && !item.isRewind && item.reason
      ? [
          {
            from: toLine(titles.get(item.from) ?? item.from),
            to: toLine(titles.get(item.to) ?? item.to),
            reason: toBlock(item.reason, 2_000, words),
          },
        ]
      : [],
  );
}

/** File changes that were not undone, and the paths of files that an undo deleted. */
export function standingChangesIn(timeline: readonly StoryItem[]) {
  const changes: { path: string; item: ItemOf<'tool'>; isUndone: boolean }[] = [];
  const deleted = new Set<string>();
  for (const item of timeline) {
    if (item.kind === 'undone') {
      for (const { path, outcome } of item.files) {
        if (!HAS_MOVED.has(outcome)) continue;
        const isDeleted = outcome === 'deleted';
        if (isDeleted) deleted.add(path);
        else deleted.delete(path);
        for (const [index, change] of changes.entries()) {
          // A file that is deleted has none of its changes, whichever the person selected.
          const isSelected = isDeleted || selects(item.selection, change.item, index + 1);
          if (change.path === path && isSelected) change.isUndone = item.direction === 'undo';
        }
      }
    } else if (item.kind === 'tool' && item.status === 'ok' && isFileChange(item.effect)) {
      const paths = pathsOf({ path: item.path, ...item.effect });
      for (const path of paths) {
        deleted.delete(path);
        changes.push({ path, item, isUndone: false });
      }
    }
  }
  return { changes: changes.filter(({ isUndone }) => !isUndone), deleted };
}

function selects(
  selection: ItemOf<'undone'>['selection'],
  { callId, nodeId }: ItemOf<'tool'>,
  changeNumber: number,
): boolean {
  if ('callId' in selection) return selection.callId === callId;
  if ('nodeId' in selection) return selection.nodeId === nodeId;
  return 'all' in selection || changeNumber >= selection.fromChange;
}
