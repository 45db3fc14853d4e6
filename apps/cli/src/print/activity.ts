/** What a Work does at the moment, in a few words for the status line, and what is known of it. Pure. */
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import type { Language } from '@crewagent/protocol/languages';
import { type RunModel, SLOW_START_SECONDS } from '@crewagent/protocol/model';
import { describeCall, isForState } from '@crewagent/protocol/story/describe-call';
import { toGrouped, toShortPath } from '@crewagent/protocol/story/describe-item';
import { translate } from '@crewagent/protocol/story/translate';
import { calledStory, type WorkStory } from '@crewagent/protocol/story/work-story';
import { targetOf } from '@crewagent/protocol/tool-effects';
import { describeCost, usageOf } from './describe-work.ts';
import { say } from './texts/say.ts';

export const SEPARATOR = ' · ';

interface ActivityContext {
  readonly view: WorkStory;
  readonly language: Language;
}

/** The activity after an event; undefined if the Work waits; `unchanged` if the event does not affect it. */
export function toActivity(event: RunEvent, context: ActivityContext): string | undefined | 'unchanged' {
  switch (event.type) {
    case 'turn.started':
      return say(
        (event.firstByteSeconds ?? 0) >= SLOW_START_SECONDS ? 'activity.evaluating' : 'activity.waiting',
      );
    case 'reasoning.delta':
      return say('activity.thinking');
    case 'message.delta':
      return say('activity.writing');
    case 'tool.started':
      return describeRunning(event, context);
    case 'tool.progress':
      return [describeRunning(event, context), describeProgress(event)].join(SEPARATOR);
    case 'llm.retry':
      return say('activity.retrying');
    case 'message.completed':
    case 'phase.changed':
    case 'question.asked':
    case 'approval.requested':
      return undefined;
    default:
      return 'unchanged';
  }
}

/** "Reading docs/prd.md" */
function describeRunning(
  { runId, callId, name }: EventOf<'tool.started' | 'tool.progress'>,
  { view, language }: ActivityContext,
): string {
  const { timeline } = runId === view.workId ? view.own : (view.runs.get(runId) ?? view.own);
  const item = timeline.findLast((other) => other.kind === 'tool' && other.callId === callId);
  if (item?.kind !== 'tool') return name;
  const { key, params } = describeCall(item);
  const target = isForState(item) || item.name.startsWith('runtime.') ? undefined : targetOf(item);
  const verb = translate(language, key, params);
  return target === undefined ? verb : `${verb} ${toShortPath(target)}`;
}

function describeProgress({ progress, total, message }: EventOf<'tool.progress'>): string {
  const done = total !== undefined && total > 0 ? `${Math.round((100 * progress) / total)} %` : `${progress}`;
  return [done, ...(message === undefined ? [] : [message])].join(SEPARATOR);
}

/** The step, the tokens and their cost, the model. */
export function describeFacts(view: WorkStory): string[] {
  const { nodes, state, model } = calledStory(view);
  const { usage } = usageOf(view);
  const step = nodes.findIndex(({ id }) => id === state.currentNodeId) + 1;
  const tokens = usage.promptTokens + usage.completionTokens;
  const name = nameOf(model ?? view.own.model);
  return [
    ...(step > 0 ? [say('activity.step', { step, steps: nodes.length })] : []),
    ...(tokens > 0 ? [say('activity.tokens', { tokens: toGrouped(tokens) })] : []),
    ...describeCost(usage),
    ...(name === undefined ? [] : [name]),
  ];
}

function nameOf(model: RunModel | undefined): string | undefined {
  return model?.kind === 'provider' ? (model.profile ?? model.settings.model) : undefined;
}
