/**
 * The summary of an exported run: package, workflow, model, phase, times and usage. Pure.
 */
import type { RunModel, Usage } from '@crewagent/protocol/model';
import type { PhaseReason, RunPhase, RunRecord } from '@crewagent/protocol/run';
import type { Story } from '@crewagent/protocol/story/story';
import type { LogReading } from '../store/work-store.ts';
import type { RunEvidence } from './read-evidence.ts';
import { toLine } from './text.ts';

/** Input of an export. */
export interface ExportSource {
  readonly record: RunRecord;
  readonly view: Story;
  readonly log: LogReading;
  /** Runs of the sub-workflows that it called, at any depth, by id. */
  readonly called?: Readonly<Record<string, Story>> | undefined;
  readonly evidence?: RunEvidence | undefined;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

export function toFacts({ record, view }: ExportSource): Fact[] {
  const { promptTokens, completionTokens, cachedTokens, costUsd } = view.usage;
  const facts: [string, string][] = [
    ['Package', `${record.packageName} ${record.packageVersion} (${record.packageHash.slice(0, 12)})`],
    ['Workflow', `${record.workflowTitle} (${record.workflowRef})`],
    ['Agent', record.activeAgentId],
    ['Model', describeModel(record.model)],
    ['Status', describePhase(view.phase, view.reason)],
    ['Started', toMoment(record.createdAt)],
    ['Last change', toMoment(view.updatedAt ?? record.updatedAt)],
    ['Turns', toCount(view.turns)],
    [
      'Tokens',
      `${toCount(promptTokens)} in (${toCount(cachedTokens)} cached), ${toCount(completionTokens)} out`,
    ],
    ['Cost', describeCost(costUsd)],
    ['Run', record.workId],
  ];
  return facts.map(([name, value]) => ({ name, value: toLine(value) }));
}

function describeModel(model: RunModel): string {
  switch (model.kind) {
    case 'rehearsal':
      return 'rehearsal: no model was used, and the content is placeholders';
    case 'replay':
      return `recording ${model.file}`;
    case 'provider':
      return `${model.settings.model} (${model.settings.provider})`;
  }
}

const PHASES: Readonly<Record<RunPhase, string>> = {
  Running: 'running',
  WaitingUser: 'waiting for a person',
  Completed: 'completed',
  Failed: 'failed',
};

export function describePhase(phase: RunPhase, reason: PhaseReason | undefined): string {
  return reason ? `${PHASES[phase]}: ${reason.message} (${reason.code})` : PHASES[phase];
}

function describeCost(costUsd: Usage['costUsd']): string {
  return costUsd === undefined ? 'unknown' : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`;
}

/** `2026-01-31 09:30:00 UTC` */
function toMoment(iso: string): string {
  return `${iso.slice(0, 10)} ${toTime(iso)} UTC`;
}

export function toTime(iso: string): string {
  return iso.slice(11, 19);
}

function toCount(value: number): string {
  return value.toLocaleString('en-US');
}
