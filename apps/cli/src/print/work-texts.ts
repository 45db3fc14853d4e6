/**
 * What commands that drive a run or a conversation print about it: its head, its menu, its end with the command that continues it,
 * and its result as JSON.
 */
import { join } from 'node:path';
import type { OpenRun, RunEvidence, Session, SessionStop } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { PhaseReason } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { toShortPath } from '@crewagent/protocol/story/describe-item';
import { toProblemLine } from '@crewagent/protocol/story/describe-problem';
import { outputsStillMissing } from '@crewagent/protocol/story/node-visits';
import type { Story } from '@crewagent/protocol/story/story';
import { treeFiles } from '@crewagent/protocol/story/tree-figures';
import { toWorkItems, type WorkStory } from '@crewagent/protocol/story/work-story';
import { changedFiles, effectOf } from '@crewagent/protocol/tool-effects';
import { type Styler, sanitize, sanitizeLines } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';
import { describeItem } from './describe-item.ts';
import { describeMenu } from './describe-menu.ts';
import { describeTotals } from './describe-totals.ts';
import {
  describeAgent,
  describeModel,
  describePhase,
  describeUsage,
  describeWorkflow,
  shortId,
  toContinueCommand,
  toShownPath,
  usageOf,
} from './describe-work.ts';
import { nextCommands } from './pending.ts';
import { toField } from './table.ts';
import type { en } from './texts/en.ts';
import { say } from './texts/say.ts';
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
  const describeStop = (stop: SessionStop, style: Styler): string => {
    const title = sanitize(record.workflowTitle || record.workflowRef, 200);
    const { phase, reason } = stop;
    const why = reason ? toReason({ phase, reason }) : say('end.notStarted');
    return toStopLine(stop, toStatus(stop).isCompleted ? say('end.completed', { title }) : why, style);
  };
  return {
    view,
    head: (style) => [
      `${style('bold', sanitize(packageName, 200))} ${sanitize(packageVersion, 60)}${describeWorkflow(record)}`,
      toField(say('field.model'), describeModel(model), 8, style),
      toField(say('field.project'), sanitize(projectPath), 8, style),
      toField(say('field.run'), shortId(runId), 8, style),
      '',
    ],
    summary(stop, elapsed, style) {
      const { field, fields } = createFields(8, style);
      const { turns, usage } = usageOf(view);
      const files = listChanged(run, view);
      const { diff } = stop.reason?.details ?? {};
      return [
        describeStop(stop, style),
        // The difference between a request and its recording.
        ...(typeof diff === 'string' ? sanitizeLines(diff.trimEnd()).map((line) => `  ${line}`) : []),
        ...fields('files', files),
        ...fields(
          'missing',
          missing().map((path) => sanitize(toShownPath(join(projectPath, toShortPath(path))))),
        ),
        ...fields('proof', describeProof(evidence())),
        field('used', `${describeUsage(turns, usage)} · ${elapsed}`),
        // A rehearsal is named above and costs nothing.
        ...(model.kind === 'rehearsal' ? [] : [field('model', describeModel(model))]),
        ...fields('next', commandsFor(stop)),
        field('see', `crewagent show ${shortId(runId)}`),
        ...(files.length > 0 ? [field('undo', `crewagent undo ${shortId(runId)}`)] : []),
      ];
    },
    result({ phase, reason = null }) {
      const { state } = engine.memory;
      const outputsMissing = missing();
      const { isProved: proved = false, waivers = [], missing: lacking = [] } = evidence() ?? {};
      return {
        type: 'result',
        runId,
        phase,
        reason,
        state: toResultState(state),
        usage: usageOf(view).usage,
        outputsMissing: outputsMissing.length > 0 ? outputsMissing : undefined,
        proved,
        waivers,
        missing: lacking,
      };
    },
    hints: (stop, style) => [
      ...(stop.reason ? [describeStop(stop, style)] : []),
      ...commandsFor(stop).map((command) => `  ${command}`),
    ],
  };
}

interface ConversationTextOptions {
  /** Whether a person can be asked. */
  readonly isAsking: boolean;
  readonly isContinued: boolean;
  /** The package as the person typed it. */
  readonly packageRef?: string | undefined;
}

export function createConversationTexts(
  session: Session,
  { isAsking, isContinued, packageRef }: ConversationTextOptions,
): WorkTexts {
  const { view, projectPath } = session;
  const written = new Set<string>();
  const continueCommand = (stop: SessionStop): string => {
    const { kind } = toStatus(stop);
    // An answer is expected.
    const isAsked = kind === 'question' || (kind === 'reply' && stop.mode === 'run');
    return `${toContinueCommand(session.record, packageRef)}${isAsked ? ' -i "…"' : ''}`;
  };
  return {
    view,
    head: (style) => [
      ...describeHead(session, style),
      '',
      ...(isContinued && isAsking ? describePast(view, style) : []),
    ],
    menu: (layout) => describeMenu(session.menu(), layout),
    afterEvent(event, style) {
      noteWritten(written, event);
      return describeRunEnd(event, view, style);
    },
    summary(stop, elapsed, style) {
      const { field, fields } = createFields(11, style);
      const { turns, usage } = usageOf(view);
      const files = [...written].map((file) => sanitize(toShownPath(join(projectPath, file))));
      return [
        ...(isAsking ? [] : describePause(stop, style)),
        ...fields('files', files),
        field('used', `${describeUsage(turns, usage)} · ${elapsed}`),
        field('continue', continueCommand(stop)),
        ...(files.length > 0 ? [field('undo', `crewagent undo ${shortId(view.workId)}`)] : []),
      ];
    },
    result({ mode, phase, reason = null }) {
      const { activeRunId = null } = view.state;
      const run = activeRunId === null ? undefined : view.runs.get(activeRunId);
      return {
        type: 'result',
        conversationId: view.workId,
        mode,
        phase,
        reason,
        activeRunId,
        state: run && toResultState(run.state),
        usage: usageOf(view).usage,
      };
    },
    hints: (stop, style) => [...describePause(stop, style), `  ${continueCommand(stop)}`],
  };
}

type FieldName = keyof typeof en.field;

/** Lines with names of one width; of several texts with the same name only the first has it. */
function createFields(width: number, style: Styler) {
  const field = (name: FieldName, text: string): string => toField(say(`field.${name}`), text, width, style);
  const fields = (name: FieldName, texts: readonly string[]): string[] =>
    texts.map((text, index) => (index === 0 ? field(name, text) : toField('', text, width, style)));
  return { field, fields };
}

function toStopLine({ phase, reason }: SessionStop, sentence: string, style: Styler): string {
  const { mark, style: colour } = describePhase(phase, reason);
  return `${style(colour, mark)} ${style('bold', sentence)}`;
}

/** A question or an approval is no problem: in other languages than that of the log it is named as in lists. */
function toReason({ phase, reason }: { phase: SessionStop['phase']; reason: PhaseReason }): string {
  const language = userLanguage();
  const { kind } = toStatus({ phase, reason });
  if (language !== 'en' && (kind === 'question' || kind === 'approval'))
    return describePhase(phase, reason).label;
  return sanitize(toProblemLine(language, reason));
}

/** The part of a run's state that scripts get with the result. */
function toResultState({ currentNodeId, stepsCompleted, variables, artifacts }: Story['state']) {
  return { currentNodeId, stepsCompleted, variables, artifacts };
}

/** Nothing to say about a run whose steps declare no checks. */
function describeProof(evidence: RunEvidence | undefined): string[] {
  const { proved = 0, claimed = 0, waived = 0 } = evidence?.totals ?? {};
  return evidence && proved + claimed + waived > 0 ? [describeTotals(evidence)] : [];
}

/** Files that the run changed, relative to the working directory. */
function listChanged({ journal, engine, projectPath }: OpenRun, { own: story, runs }: WorkStory): string[] {
  const toShown = (file: string): string => sanitize(toShownPath(join(projectPath, file)));
  const changes = journal.list();
  const own = new Set(changes.map(({ path }) => toShortPath(path)));
  // Sub-workflows have journals of their own.
  const shown = new Map(
    [...engine.memory.state.artifacts, ...treeFiles(story, runs).map(toShortPath)]
      .filter((path) => !own.has(path))
      .map((path) => [toShown(path), '']),
  );
  for (const { path, kind, undone } of changes)
    if (!undone) shown.set(toShown(toShortPath(path)), kind === 'deleted' ? ' (deleted)' : '');
  return [...shown].map(([path, what]) => `${path}${what}`);
}

function describeHead({ record, projectPath }: Session, style: Styler): string[] {
  const { agent, model, workId } = record;
  const { field } = createFields(14, style);
  return [
    style('bold', agent ? describeAgent(agent) : say('end.chat')),
    ...(agent ? [field('package', sanitize(`${agent.package.name} ${agent.package.version}`, 200))] : []),
    field('model', describeModel(model)),
    field('project', sanitize(projectPath)),
    field('conversation', shortId(workId)),
  ];
}

/** Entries shown of a continued conversation. */
const ENTRIES_SHOWN = 10;

function describePast(view: WorkStory, style: Styler): string[] {
  const options = { style: (_: string, text: string) => text, width: undefined, language: userLanguage() };
  const entries = toWorkItems(view)
    .map(({ item }) => describeItem(item, options).map((line) => style('dim', line)))
    .filter((lines) => lines.length > 0);
  return entries.length === 0 ? [] : [...entries.slice(-ENTRIES_SHOWN).flat(), ''];
}

/** Only for runs: the conversation itself does not end. */
function describeRunEnd(event: RunEvent, view: WorkStory, style: Styler): string {
  if (event.type !== 'phase.changed' || event.runId === view.workId) return '';
  const title = sanitize(view.runs.get(event.runId)?.workflow?.title || say('end.workflow'), 200);
  const { isCompleted, isFailed } = toStatus(event);
  if (isCompleted) return `${style('green', '✔')} ${style('bold', say('end.completed', { title }))}\n`;
  const failure = event.reason
    ? toReason({ phase: event.phase, reason: event.reason })
    : say('end.failed', { title });
  return isFailed ? `${style('red', '✖')} ${style('bold', failure)}\n` : '';
}

/** Empty if the conversation just waits for the person's next message. */
function describePause(stop: SessionStop, style: Styler): string[] {
  const { mode, reason } = stop;
  const { kind, isCompleted, isFailed } = toStatus(stop);
  if (isCompleted || isFailed || !reason || (kind === 'reply' && mode !== 'run')) return [];
  return [toStopLine(stop, toReason({ phase: stop.phase, reason }), style)];
}

/** Files written since the session was opened, without those that were undone. */
function noteWritten(written: Set<string>, event: RunEvent): void {
  if (event.type === 'tool.ended' && event.outcome === 'ok')
    for (const file of changedFiles(effectOf(event))) written.add(file);
  if (event.type !== 'changes.undone') return;
  for (const { path, outcome } of event.files) {
    if (outcome === 'deleted' || outcome === 'restored') written.delete(toShortPath(path));
    if (outcome === 'recreated') written.add(toShortPath(path));
  }
}
