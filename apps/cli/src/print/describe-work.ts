/**
 * Formats runs and conversations: phase, model, usage, age, agent, title, and the command that continues them. Pure.
 */
import { isAbsolute, relative } from 'node:path';
import type { ConversationRecord, EnteredAgent } from '@crewagent/protocol/conversation';
import { addUsage, type RunModel, type Usage } from '@crewagent/protocol/model';
import type { PhaseReason, RunPhase, RunRecord } from '@crewagent/protocol/run';
import { type StatusKind, toStatus } from '@crewagent/protocol/status';
import { toGrouped } from '@crewagent/protocol/story/describe-item';
import type { WorkStory } from '@crewagent/protocol/story/work-story';
import { type Style, sanitize } from '../terminal.ts';

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
  if (isCompleted) return { mark: '✔', label: 'completed', style: 'green' };
  if (isFailed) return { mark: '✖', label: `failed: ${sanitize(reason?.code ?? 'unknown')}`, style: 'red' };
  if (isRunning) return { mark: '▸', label: 'running', style: 'cyan' };
  const label = reason ? (WAITING[kind] ?? `paused: ${sanitize(reason.code)}`) : 'waiting';
  return { mark: '…', label, style: 'yellow' };
}

const WAITING: Readonly<Partial<Record<StatusKind, string>>> = {
  question: 'waiting for an answer',
  reply: 'waiting for a reply',
  approval: 'waiting for approval',
  stopped: 'stopped',
  interrupted: 'interrupted',
};

export function describeModel(model: RunModel): string {
  switch (model.kind) {
    case 'rehearsal':
      return 'rehearsal (no model; results are placeholders)';
    case 'replay':
      return `replay of ${sanitize(model.file)}`;
    case 'provider': {
      const { settings, profile } = model;
      const where = settings.baseUrl ?? settings.provider;
      const named = profile === undefined || profile === settings.model ? '' : `${sanitize(profile)}: `;
      return `${named}${sanitize(settings.model)} at ${sanitize(where)}`;
    }
  }
}

export function describeUsage(turns: number, usage: Usage): string {
  const { promptTokens, completionTokens, cachedTokens } = usage;
  const parts = [`${toGrouped(turns)} ${turns === 1 ? 'turn' : 'turns'}`];
  if (promptTokens + completionTokens > 0) {
    const cached = cachedTokens > 0 ? ` (${toGrouped(cachedTokens)} cached)` : '';
    parts.push(`${toGrouped(promptTokens)} tokens in${cached}, ${toGrouped(completionTokens)} out`);
  }
  return [...parts, ...describeCost(usage)].join(' · ');
}

/** Nothing for what costs nothing, such as a rehearsal; a price that is not known is called unknown. */
export function describeCost({ promptTokens, completionTokens, costUsd }: Usage): string[] {
  if (costUsd) return [`$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`];
  return costUsd === undefined && promptTokens + completionTokens > 0 ? ['price unknown'] : [];
}

export function describeDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function describeAge(iso: string, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(iso)) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days < 60 ? `${days} days ago` : iso.slice(0, 10);
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
export function describeTitle({ title, agent }: ConversationRecord, workflow = ''): string {
  return sanitize(title.trim() || workflow.trim() || agent?.name.trim() || '(no messages yet)', 200);
}

/** The command that continues a conversation; `packageRef` is the package as the person typed it. */
export function toContinueCommand({ workId, agent }: ConversationRecord, packageRef?: string): string {
  const id = shortId(workId);
  if (!agent) return `crewagent chat --continue ${id}`;
  const ref = packageRef === undefined ? agent.package.hash.slice(0, 12) : sanitize(packageRef);
  return `crewagent agent ${shellQuote(ref)} --continue ${id}`;
}

/** Total over the conversation's own turns and all its runs. */
export function usageOf({ own, runs }: WorkStory): { readonly turns: number; readonly usage: Usage } {
  let { turns, usage } = own;
  const ended = new Set(
    [...runs.values()].flatMap(({ calls }) =>
      calls.filter(({ outcome }) => outcome !== undefined).map(({ childId }) => childId),
    ),
  );
  for (const run of runs.values()) {
    turns += run.turns;
    // When a call ends, its usage becomes part of the caller's.
    if (!ended.has(run.runId)) usage = addUsage(usage, run.usage);
  }
  return { turns, usage };
}

/** Quotes an argument for a shell, if necessary. */
export function shellQuote(text: string): string {
  return /^[\w./:@+=…-]+$/u.test(text) ? text : `"${text.replace(/(["\\$`])/g, '\\$1')}"`;
}
