/**
 * What commands that drive a conversation print about it: its head and last entries, its menu, its end with the command that
 * continues it, and its result as JSON.
 */
import { join } from 'node:path';
import type { Session, SessionStop } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { toStatus } from '@crewagent/protocol/status';
import { activeStory, toWorkItems } from '@crewagent/protocol/story/work-story';
import { changedFiles, effectOf } from '@crewagent/protocol/tool-effects';
import { type Styler, sanitize } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';
import { describeAgent, toContinueCommand, usageOf } from './describe-conversation.ts';
import { describeItem } from './describe-item.ts';
import { describeMenu } from './describe-menu.ts';
import { describeModel, describePhase, describeUsage, shortId, toShownPath } from './describe-run.ts';
import { toResultState } from './run-texts.ts';
import { toField } from './table.ts';
import type { WorkTexts } from './work-output.ts';

export interface ConversationTextOptions {
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
  const { view } = session;
  const files = createFileList(session);
  return {
    view,
    head: (style) => [
      ...describeHead(session, style),
      '',
      ...(isContinued && isAsking ? describePast(session, style) : []),
    ],
    menu: (layout) => describeMenu(session.menu(), layout),
    afterEvent(event, style) {
      files.note(event);
      return describeRunEnd(event, session, style);
    },
    summary(stop, elapsed, style) {
      const field = (name: string, text: string): string => toField(name, text, 11, style);
      const { turns, usage } = usageOf(view);
      const shown = files.list().map((path, index) => field(index === 0 ? 'files' : '', sanitize(path)));
      return [
        ...(isAsking ? [] : describeStop(session, stop, style)),
        ...shown,
        field('used', `${describeUsage(turns, usage)} · ${elapsed}`),
        field('continue', continueCommandFor(session, stop, packageRef)),
        ...(shown.length > 0 ? [field('undo', `crewagent undo ${shortId(view.workId)}`)] : []),
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
        ...(run ? { state: toResultState(run.state) } : {}),
        usage: usageOf(view).usage,
      };
    },
    hints: (stop, style) => [
      ...describeStop(session, stop, style),
      `  ${continueCommandFor(session, stop, packageRef)}`,
    ],
  };
}

function describeHead({ record, projectPath }: Session, style: Styler): string[] {
  const { agent, model, workId } = record;
  const field = (name: string, text: string): string => toField(name, text, 14, style);
  return [
    style('bold', agent ? describeAgent(agent) : 'Chat'),
    ...(agent ? [field('package', sanitize(`${agent.package.name} ${agent.package.version}`, 200))] : []),
    field('model', describeModel(model)),
    field('project', sanitize(projectPath)),
    field('conversation', shortId(workId)),
  ];
}

/** Entries shown of a continued conversation. */
const ENTRIES_SHOWN = 10;

function describePast({ view }: Session, style: Styler): string[] {
  const entries = toWorkItems(view)
    .map(({ item }) =>
      describeItem(item, { style: (_, text) => text, width: undefined, language: userLanguage() }).map(
        (line) => style('dim', line),
      ),
    )
    .filter((lines) => lines.length > 0);
  return entries.length === 0 ? [] : [...entries.slice(-ENTRIES_SHOWN).flat(), ''];
}
/** Only for runs: the conversation itself does not end. */
function describeRunEnd(event: RunEvent, { view }: Session, style: Styler): string {
  if (event.type !== 'phase.changed' || event.runId === view.workId) return '';
  const title = sanitize(view.runs.get(event.runId)?.workflow?.title || 'The workflow', 200);
  const { isCompleted, isFailed } = toStatus(event);
  if (isCompleted) return `${style('green', '✔')} ${style('bold', `"${title}" completed.`)}\n`;
  return isFailed
    ? `${style('red', '✖')} ${style('bold', sanitize(event.reason?.message ?? `"${title}" failed.`))}\n`
    : '';
}

/** Empty if the conversation just waits for the person's next message. */
function describeStop(session: Session, { mode, phase, reason }: SessionStop, style: Styler): string[] {
  const { kind, isCompleted, isFailed } = toStatus({ phase, reason });
  if (isCompleted || isFailed || !reason || (kind === 'reply' && mode !== 'run')) return [];
  const { mark, style: colour } = describePhase(phase, activeStory(session.view).reason);
  return [`${style(colour, mark)} ${style('bold', sanitize(reason.message))}`];
}

/** Includes `-i` if an answer is expected. */
function continueCommandFor(session: Session, stop: SessionStop, packageRef: string | undefined): string {
  const { kind } = toStatus(stop);
  const isAsked = kind === 'question' || (kind === 'reply' && stop.mode === 'run');
  return `${toContinueCommand(session.record, packageRef)}${isAsked ? ' -i "…"' : ''}`;
}

interface FileList {
  note(event: RunEvent): void;
  /** Paths relative to the working directory. */
  list(): readonly string[];
}

/** Files written since the session was opened, without those that were undone. */
function createFileList({ projectPath }: Session): FileList {
  const files = new Set<string>();
  return {
    note(event) {
      if (event.type === 'tool.ended') {
        if (event.outcome === 'ok') for (const file of changedFiles(effectOf(event))) files.add(file);
      }
      if (event.type !== 'changes.undone') return;
      for (const { path, outcome } of event.files) {
        const file = path.replace(/^@project\//, '');
        if (outcome === 'deleted' || outcome === 'restored') files.delete(file);
        if (outcome === 'recreated') files.add(file);
      }
    },
    list: () => [...files].map((file) => toShownPath(join(projectPath, file))),
  };
}
