/**
 * Folds the events of a log to its story: one fold for the live screen, the reloaded one, the terminal and exports. Items are
 * replaced, never mutated, so that a screen can detect changes by identity.
 */
import type { RunEvent } from '../events.ts';
import { addUsage } from '../model.ts';
import { foldRunState } from '../run-state.ts';
import { mergeItem, replaceItem } from './merge-item.ts';
import { addToNodeVisits } from './node-visits.ts';
import { createStory, type Story } from './story.ts';
import { toItem } from './to-item.ts';
import { updateItems } from './update-items.ts';

/** Folds a log from its first event. */
export function foldStory(runId: string, events: Iterable<RunEvent>): Story {
  const story = createStory(runId);
  for (const event of events) addToStory(story, event);
  return story;
}

/** Updates the story; an event that was already added changes nothing. */
export function addToStory(story: Story, event: RunEvent): void {
  const { text = '', reasoning = '' } = story.streaming ?? {};
  switch (event.type) {
    case 'message.delta':
      story.streaming = { text: text + event.text, reasoning };
      return;
    case 'reasoning.delta':
      story.streaming = { text, reasoning: reasoning + event.text };
      return;
    case 'tool.progress': {
      const { callId, progress, total, message } = event;
      replaceItem(story, 'tool', callId, (item) =>
        item.status === 'running' ? { ...item, progress: { progress, total, message } } : item,
      );
      return;
    }
    default:
  }
  if (event.seq <= story.lastSeq) return;
  story.lastSeq = event.seq;
  story.updatedAt = event.ts;
  story.state = foldRunState(story.state, event);
  addToNodeVisits(story.visits, event);
  updateFacts(story, event);
  const made = toItem(event, story.timeline);
  const item = made && mergeItem(story, made);
  if (item) story.timeline.push(item);
  if (item?.kind === 'question' || item?.kind === 'approval') story.pending = item;
  updateItems(story, event);
}

/** Everything but the timeline. */
function updateFacts(story: Story, event: RunEvent): void {
  switch (event.type) {
    case 'run.created':
      story.package = event.package;
      story.workflow = event.workflow;
      story.model = event.model;
      story.nodes = event.nodes;
      story.caller = event.call;
      story.createdAt = event.ts;
      break;
    case 'run.upgraded':
      story.package = event.package;
      story.workflow = event.workflow;
      story.nodes = event.nodes;
      break;
    case 'conversation.created':
      story.model = event.model;
      story.createdAt = event.ts;
      break;
    case 'model.changed':
      story.model = event.model;
      break;
    case 'phase.changed':
      story.phase = event.phase;
      story.reason = event.reason;
      story.streaming = undefined;
      story.firstByteSeconds = undefined;
      endPartial(story, event);
      break;
    case 'turn.started':
      story.turns = event.turn;
      story.turnStartedAt = event.ts;
      story.firstByteSeconds = event.firstByteSeconds;
      story.askedModel = event.model;
      story.requestTokens = event.estimatedTokens;
      story.streaming = undefined;
      endPartial(story, event);
      break;
    case 'message.partial':
      story.partial = {
        seq: event.seq,
        ts: event.ts,
        kind: 'reply',
        text: (story.partial?.text ?? '') + event.text,
        nodeId: event.nodeId,
        turn: event.turn,
        isPartial: true,
      };
      break;
    case 'call.started': {
      const { nodeId, childId, workflow } = event;
      const title = workflow.title || workflow.ref;
      story.calls = [...story.calls, { nodeId, childId, title, outcome: undefined }];
      break;
    }
    case 'call.ended': {
      const { childId, outcome, usage, usageBefore, turns } = event;
      story.calls = story.calls.map((call) =>
        call.childId === childId ? { ...call, outcome, turns } : call,
      );
      story.usage = addUsage(story.usage, usage);
      story.usageBefore = addUsage(story.usageBefore, usageBefore);
      break;
    }
    case 'run.resumed':
      story.usageBefore = story.usage;
      break;
    case 'usage.updated':
      story.usage = event.total;
      if (!event.usage.isEstimated) story.requestTokens = event.usage.promptTokens;
      break;
    case 'llm.retry':
      story.streaming = undefined;
      story.partial = undefined;
      break;
    default:
  }
}

/** The turn ended without a complete reply: what was streamed of it stays. Pages need items in the order of their numbers. */
function endPartial(story: Story, { seq }: RunEvent): void {
  if (story.partial && story.partial.text.trim() !== '') story.timeline.push({ ...story.partial, seq });
  story.partial = undefined;
}
