/** An event as one line of the log, for the page and the terminal: its level and its text. The text is untrusted. Pure. */
import { actionOf } from '../described-actions.ts';
import type { RunEvent } from '../events.ts';
import type { RunPhase } from '../run.ts';
import { toStatus } from '../status.ts';
import type { Problem } from './describe-problem.ts';

/** From debugging details to errors that stopped the run. */
export const LOG_LEVELS = ['detail', 'info', 'warning', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function levelOf(event: RunEvent): LogLevel {
  switch (event.type) {
    case 'phase.changed':
      return toStatus(event).kind === 'failed' ? 'error' : 'info';
    case 'tool.ended':
      return event.outcome === 'ok' ? 'info' : 'warning';
    case 'hook.ran':
      return event.outcome === 'ok' ? 'detail' : 'warning';
    case 'context.compacted':
      return event.outcome === 'failed' ? 'warning' : 'info';
    case 'message.completed':
      return event.purpose === 'reply' || event.purpose === 'input' ? 'info' : 'detail';
    default:
      return LEVELS[event.type] ?? 'info';
  }
}

const LEVELS: Readonly<Partial<Record<RunEvent['type'], LogLevel>>> = {
  error: 'error',
  warning: 'warning',
  'llm.retry': 'warning',
  'transition.refused': 'warning',
  'context.reset': 'warning',
  'turn.started': 'detail',
  'usage.updated': 'detail',
  'tool.started': 'detail',
  'message.delta': 'detail',
  'reasoning.delta': 'detail',
  'tool.progress': 'detail',
  'message.partial': 'detail',
  'command.resolved': 'detail',
  'menu.closed': 'detail',
};

export function isAtLeast(event: RunEvent, level: LogLevel): boolean {
  return LOG_LEVELS.indexOf(levelOf(event)) >= LOG_LEVELS.indexOf(level);
}

const MAX_CHARS = 300;

/** Words of the reader for what the log stores as ids. */
export interface LogNames {
  readonly nodeOf: (nodeId: string) => string;
  readonly phaseOf: (phase: RunPhase) => string;
  /** A call by the name of its tool; `running` for one whose outcome is another event. */
  readonly callOf: (name: string, status: 'running' | 'ok' | 'failed' | 'refused') => string;
  /** What a message is. */
  readonly purposeOf: (purpose: string) => string;
  /** Why a run stopped or a request is repeated. */
  readonly problemOf: (problem: Problem) => string;
  readonly amountOf: (value: number, unit: 'ms' | 'bytes' | 'tokens') => string;
}

const STORED: LogNames = {
  nodeOf: (nodeId) => nodeId,
  phaseOf: (phase) => phase,
  callOf: (name, status) => (status === 'running' ? name : `${name} · ${status}`),
  purposeOf: (purpose) => purpose,
  problemOf: ({ code, message }) => [code, message].filter(Boolean).join(' · '),
  amountOf: (value, unit) => `${value} ${unit}`,
};

/** Without words of its own, as it is read in every language. */
export function summaryOf(event: RunEvent, names: LogNames = STORED): string {
  return partsOf(event, names).filter(Boolean).join(' · ').replace(/\s+/g, ' ').slice(0, MAX_CHARS);
}

type Part = string | false | undefined;

function partsOf(event: RunEvent, names: LogNames): readonly Part[] {
  const { nodeOf, phaseOf, callOf, purposeOf, amountOf } = names;
  switch (event.type) {
    case 'run.created':
      return [event.workflow.title, `${event.package.name}@${event.package.version}`];
    case 'run.upgraded':
      return [`${event.from.version} → ${event.package.version}`, event.stale.join(', ')];
    case 'hook.ran':
      return [event.hook, event.on, event.outcome, event.message];
    case 'work.moved':
      return [event.by, event.from];
    case 'work.forked':
      return [event.from, `#${event.afterSeq}`, event.nodeId && nodeOf(event.nodeId)];
    case 'visit.carried':
      return [nodeOf(event.nodeId), event.from.runId, event.outcome, ...event.files.map(({ path }) => path)];
    case 'files.found':
      return [nodeOf(event.nodeId), ...event.files.map(({ path, kind }) => `${path}: ${kind}`)];
    case 'work.handed':
      return [`${event.by} → ${event.to}`];
    case 'phase.changed':
      return [phaseOf(event.phase), event.reason && names.problemOf(event.reason)];
    case 'turn.started':
      return [
        `#${event.turn}`,
        event.nodeId && nodeOf(event.nodeId),
        event.agentId,
        amountOf(event.requestBytes, 'bytes'),
        `≈ ${amountOf(event.estimatedTokens, 'tokens')}`,
      ];
    case 'message.completed':
      return [
        purposeOf(event.purpose),
        event.content.slice(0, MAX_CHARS),
        event.toolCalls?.map(({ name }) => callOf(name, 'running')).join(', '),
      ];
    case 'tool.started':
      return [callOf(event.name, 'running'), event.path];
    case 'tool.progress':
      return [callOf(event.name, 'running'), String(event.progress)];
    case 'tool.ended':
      return [
        callOf(event.name, event.outcome),
        event.effect?.path,
        event.code,
        amountOf(event.durationMs, 'ms'),
      ];
    case 'state.changed':
      return [
        event.from === event.to ? nodeOf(event.to) : `${nodeOf(event.from)} → ${nodeOf(event.to)}`,
        event.label,
        Object.keys(event.variables).join(', '),
        ...event.notes,
      ];
    case 'artifacts.changed':
      return [...event.removed.map((path) => `- ${path}`), ...event.restored.map((path) => `+ ${path}`)];
    case 'visit.started':
      return [nodeOf(event.nodeId), event.visit > 1 && `#${event.visit}`];
    case 'checks.judged':
      return [nodeOf(event.nodeId), `${event.checks.filter(({ ok }) => ok).length}/${event.checks.length}`];
    case 'call.started':
      return [nodeOf(event.nodeId), event.workflow.title || event.workflow.ref];
    case 'transition.refused':
      return [`${nodeOf(event.from)} → ${nodeOf(event.to)}`, event.message];
    case 'llm.retry':
      return [names.problemOf(event), `#${event.attempt}`, amountOf(event.delayMs, 'ms')];
    case 'usage.updated':
      return [`${event.usage.promptTokens} + ${amountOf(event.usage.completionTokens, 'tokens')}`];
    case 'question.asked':
      return event.questions.map(({ prompt }) => prompt);
    case 'question.answered':
      return [JSON.stringify(event.answers).slice(0, MAX_CHARS)];
    case 'approval.requested':
      return [callOf(event.tool, 'running'), actionOf(event).target];
    case 'approval.resolved':
      return [event.decision, event.reach, callOf(event.tool, 'running'), event.path, event.note, event.by];
    case 'changes.undone':
      return [event.direction, ...event.files.map(({ path, outcome }) => `${path}: ${outcome}`)];
    case 'context.compacted':
      return [event.outcome, `${event.tokensBefore} → ${amountOf(event.tokensAfter, 'tokens')}`];
    case 'input.queued':
      return [event.label ?? event.content.slice(0, MAX_CHARS)];
    case 'errands.queued':
      return event.inputs.map(({ content, label }) => label ?? content.slice(0, MAX_CHARS));
    case 'agent.entered':
      return [event.agent.name, `${event.agent.package.name}@${event.agent.package.version}`];
    case 'menu.shown':
      return event.entries.map(({ index, label }) => `${index}. ${label}`);
    case 'choice.offered':
      return [event.reason, ...event.candidates.map(({ label }) => label)];
    default:
      return restOf(event, nodeOf);
  }
}

/** All string fields of an event without a description of its own. */
function restOf(event: RunEvent, nodeOf: LogNames['nodeOf']): readonly string[] {
  return Object.entries(event).flatMap(([key, value]) =>
    typeof value === 'string' && !STAMP.has(key)
      ? [key === 'nodeId' ? nodeOf(value) : value.slice(0, MAX_CHARS)]
      : [],
  );
}

const STAMP: ReadonlySet<string> = new Set(['type', 'ts', 'runId']);
