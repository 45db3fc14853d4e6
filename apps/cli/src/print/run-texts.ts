/**
 * What commands that drive a run print about it: its head, its end, and its result as JSON.
 */
import { join } from 'node:path';
import type { OpenRun, RunEvidence, SessionStop } from '@crewagent/core';
import { describeTotals } from '@crewagent/protocol/evidence';
import { toStatus } from '@crewagent/protocol/status';
import { outputsStillMissing } from '@crewagent/protocol/story/node-visits';
import type { WorkStory } from '@crewagent/protocol/story/work-story';
import { type Styler, sanitize, sanitizeLines } from '../terminal.ts';
import {
  describeModel,
  describePhase,
  describeUsage,
  describeWorkflow,
  shortId,
  toShownPath,
} from './describe-run.ts';
import { nextCommands } from './pending.ts';
import { toField } from './table.ts';
import type { WorkTexts } from './work-output.ts';

/** `view`: of the run and the runs that it called, updated while it runs. `evidence`: known at the end. */
export function createRunTexts(
  run: OpenRun,
  view: WorkStory,
  evidence: () => RunEvidence | undefined,
): WorkTexts {
  const { record, projectPath, engine } = run;
  const { workId: runId, packageName, packageVersion, model } = record;
  const missing = (): readonly string[] => outputsStillMissing(view.own.visits, engine.memory.state);
  const commandsFor = (stop: SessionStop): string[] => nextCommands(runId, stop, engine.pending);
  return {
    view,
    head: (style) => [
      `${style('bold', sanitize(packageName, 200))} ${sanitize(packageVersion, 60)}${describeWorkflow(record)}`,
      toField('model', describeModel(model), 8, style),
      toField('project', sanitize(projectPath), 8, style),
      toField('run', shortId(runId), 8, style),
      '',
    ],
    menu: () => [],
    afterEvent: () => '',
    summary(stop, elapsed, style) {
      const field = (name: string, text: string): string => toField(name, text, 8, style);
      const { turn, usage } = engine.memory;
      const files = changedFiles(run);
      return [
        describeStop(run, stop, style),
        ...toDiff(stop).map((line) => `  ${line}`),
        ...files.map(({ path, what }, index) => field(index === 0 ? 'files' : '', `${path}${what}`)),
        ...missing().map((path, index) => field(index === 0 ? 'missing' : '', toMissingFile(run, path))),
        ...describeProof(evidence()).map((text) => field('proof', text)),
        field('used', `${describeUsage(turn, usage)} · ${elapsed}`),
        // A rehearsal is named above and costs nothing.
        ...(model.kind === 'rehearsal' ? [] : [field('model', describeModel(model))]),
        ...commandsFor(stop).map((command, index) => field(index === 0 ? 'next' : '', command)),
        field('see', `crewagent show ${shortId(runId)}`),
        ...(files.length > 0 ? [field('undo', `crewagent undo ${shortId(runId)}`)] : []),
      ];
    },
    result({ phase, reason = null }) {
      const { state, usage } = engine.memory;
      const outputsMissing = missing();
      const problems = outputsMissing.length > 0 ? { outputsMissing } : {};
      const { isProved: proved = false, waivers = [], missing: lacking = [] } = evidence() ?? {};
      const proof = { proved, waivers, missing: lacking };
      return {
        type: 'result',
        runId,
        phase,
        reason,
        state: toResultState(state),
        usage,
        ...problems,
        ...proof,
      };
    },
    hints: (stop, style) => [
      ...(stop.reason ? [describeStop(run, stop, style)] : []),
      ...commandsFor(stop).map((command) => `  ${command}`),
    ],
  };
}

/** Nothing to say about a run whose steps declare no checks. */
function describeProof(evidence: RunEvidence | undefined): string[] {
  const { proved = 0, waived = 0 } = evidence?.totals ?? {};
  return evidence && proved + waived > 0 ? [describeTotals(evidence)] : [];
}

/** The part of a run's state that scripts get with the result. */
export function toResultState({
  currentNodeId,
  stepsCompleted,
  variables,
  artifacts,
}: WorkStory['own']['state']) {
  return { currentNodeId, stepsCompleted, variables, artifacts };
}

function describeStop({ record }: OpenRun, stop: SessionStop, style: Styler): string {
  const { mark, style: colour } = describePhase(stop.phase, stop.reason);
  const title = sanitize(record.workflowTitle || record.workflowRef, 200);
  const sentence = toStatus(stop).isCompleted
    ? `"${title}" completed.`
    : sanitize(stop.reason?.message ?? 'The run has not started yet.');
  return `${style(colour, mark)} ${style('bold', sentence)}`;
}

/** The difference between a request and its recording. */
function toDiff({ reason }: SessionStop): string[] {
  const diff = reason?.details?.diff;
  return typeof diff === 'string' ? sanitizeLines(diff.trimEnd()) : [];
}

/** A declared output that was not written, relative to the working directory. */
function toMissingFile({ projectPath }: OpenRun, path: string): string {
  return sanitize(toShownPath(join(projectPath, path.replace(/^@project\//, ''))));
}

/** Paths relative to the working directory. */
function changedFiles({ journal, engine, projectPath }: OpenRun): { path: string; what: string }[] {
  const shown = new Map<string, string>();
  const own = new Set(journal.list().map(({ path }) => path.replace(/^@project\//, '')));
  // Sub-workflows have journals of their own.
  for (const path of engine.memory.state.artifacts)
    if (!own.has(path)) shown.set(toShownPath(join(projectPath, path)), '');
  for (const { path, kind, undone } of journal.list()) {
    if (undone) continue;
    const file = toShownPath(join(projectPath, path.replace(/^@project\//, '')));
    shown.set(file, kind === 'deleted' ? ' (deleted)' : '');
  }
  return [...shown].map(([path, what]) => ({ path: sanitize(path), what }));
}
