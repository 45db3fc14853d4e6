/**
 * Formats runs and conversations: phase, model, usage, age, agent, title, and the command that continues them, in the
 * language of the terminal.
 */
import { isAbsolute, relative } from 'node:path';
import type { ConversationRecord, EnteredAgent } from '@crewagent/protocol/conversation';
import { toShownTitle } from '@crewagent/protocol/conversation-title';
import { addUsage, NO_USAGE, type RunModel, type Usage } from '@crewagent/protocol/model';
import type { PhaseReason, RunPhase, RunRecord } from '@crewagent/protocol/run';
import { type StatusKind, toStatus } from '@crewagent/protocol/status';
import { toGrouped } from '@crewagent/protocol/story/describe-item';
import { treeTurns, treeUsage } from '@crewagent/protocol/story/tree-figures';
import type { WorkStory } from '@crewagent/protocol/story/work-story';
import { type Style, sanitize } from '../terminal.ts';
import { type Say, say } from './texts/say.ts';

/** The end of the id: ids of runs created in the same minute have the same prefix. */
export function shortId(runId: string): string {
  return runId.slice(-8);
}

export interface PhaseLabel {
  readonly mark: string;
  readonly label: string;
  readonly style: Style;
}

/** Short label for lists. */
export function describePhase(phase: RunPhase, reason: PhaseReason | undefined): PhaseLabel {
  const { kind, isRunning, isCompleted, isFailed } = toStatus({ phase, reason });
  const code = sanitize(reason?.code ?? 'unknown');
  if (isCompleted) return { mark: '✔', label: say('status.completed'), style: 'green' };
  if (isFailed) return { mark: '✖', label: say('status.failed', { code }), style: 'red' };
  if (isRunning) return { mark: '▸', label: say('status.running'), style: 'cyan' };
  const named = NAMED.find((status) => status === kind);
  const label = !reason
    ? say('status.waiting')
    : named
      ? say(`status.${named}`)
      : say('status.paused', { code });
  return { mark: '…', label, style: 'yellow' };
}

const NAMED = [
  'question',
  'reply',
  'approval',
  'stopped',
  'interrupted',
] as const satisfies readonly StatusKind[];

export function describeModel(model: RunModel, tell: Say = say): string {
  switch (model.kind) {
    case 'rehearsal':
      return tell('model.rehearsal');
    case 'host':
      return sanitize(model.name);
    case 'replay':
      return tell('model.replay', { file: sanitize(model.file) });
    case 'provider': {
      const { settings, profile } = model;
      const where = settings.baseUrl ?? settings.provider;
      const named = profile === undefined || profile === settings.model ? '' : `${sanitize(profile)}: `;
      return `${named}${tell('model.provider', { model: sanitize(settings.model), where: sanitize(where) })}`;
    }
  }
}

export function describeUsage(turns: number, usage: Usage): string {
  const { promptTokens, completionTokens, cachedTokens } = usage;
  const parts = [say('usage.turns', { count: turns, shown: toGrouped(turns) })];
  if (promptTokens + completionTokens > 0)
    parts.push(
      say(cachedTokens > 0 ? 'usage.tokensCached' : 'usage.tokens', {
        prompt: toGrouped(promptTokens),
        cached: toGrouped(cachedTokens),
        completion: toGrouped(completionTokens),
      }),
    );
  return [...parts, ...describeCost(usage)].join(' · ');
}

/** Nothing for what costs nothing, such as a rehearsal; a price that is not known is called unknown. */
export function describeCost({ promptTokens, completionTokens, costUsd }: Usage): string[] {
  if (costUsd) return [`$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`];
  return costUsd === undefined && promptTokens + completionTokens > 0 ? [say('usage.priceUnknown')] : [];
}

export function describeDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return say('time.seconds', { seconds });
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? say('time.minutes', { minutes, seconds: seconds % 60 })
    : say('time.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

export function describeAge(iso: string, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(iso)) / 60_000);
  if (minutes < 1) return say('time.now');
  if (minutes < 60) return say('time.minutesAgo', { minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return say('time.hoursAgo', { hours });
  const days = Math.floor(hours / 24);
  return days < 60 ? say('time.daysAgo', { days }) : iso.slice(0, 10);
}

/** The workflow title, unless it equals the package name. */
export function describeWorkflow(
  record: Pick<RunRecord, 'packageName' | 'workflowTitle' | 'workflowRef'>,
): string {
  const { packageName, workflowTitle, workflowRef } = record;
  const title = workflowTitle || workflowRef;
  return title === packageName ? '' : ` · ${sanitize(title, 200)}`;
}

/**
 * Paths as shown to the user: relative to the working directory if inside it.
 */
export function toShownPath(path: string): string {
  const relativePath = relative(process.cwd(), path);
  return relativePath === '' || relativePath.startsWith('..') || isAbsolute(relativePath)
    ? path
    : relativePath;
}

/** `📋 Bob, Scrum Master` */
export function describeAgent({ icon = '', name, title, agentId }: EnteredAgent): string {
  const who = [name || agentId, title].filter((part) => part.trim() !== '').join(', ');
  return sanitize(`${icon} ${who}`.trim(), 200);
}

/** `workflow` is the title of the active run, for a conversation without messages. */
export function describeTitle(record: ConversationRecord, workflow = ''): string {
  const { agent } = record;
  return sanitize(
    toShownTitle(record).trim() || workflow.trim() || agent?.name.trim() || '(no messages yet)',
    200,
  );
}

/** The command that continues a conversation; `packageRef` is the package as the person typed it. */
export function toContinueCommand({ workId, agent }: ConversationRecord, packageRef?: string): string {
  const id = shortId(workId);
  if (!agent) return `crewagent chat --continue ${id}`;
  const ref = packageRef === undefined ? agent.package.hash.slice(0, 12) : sanitize(packageRef);
  return `crewagent agent ${shellQuote(ref)} --continue ${id}`;
}

/** Total over the Work's own turns and all its runs, with the workflows that they called. */
export function usageOf({ own, runs }: WorkStory): { readonly turns: number; readonly usage: Usage } {
  const called = new Set([own, ...runs.values()].flatMap(({ calls }) => calls.map(({ childId }) => childId)));
  const roots = [own, ...[...runs.values()].filter(({ runId }) => !called.has(runId))];
  return {
    turns: roots.reduce((sum, run) => sum + treeTurns(run, runs), 0),
    usage: roots.reduce((sum, run) => addUsage(sum, treeUsage(run, runs)), NO_USAGE),
  };
}

/** Quotes an argument for a shell, if necessary. */
export function shellQuote(text: string): string {
  return /^[\w./:@+=…-]+$/u.test(text) ? text : `"${text.replace(/(["\\$`])/g, '\\$1')}"`;
}
