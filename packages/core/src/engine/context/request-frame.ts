/**
 * The constant part of requests as the log records it: once per frame, so that every request can be rebuilt byte for byte from the
 * log.
 */
import { createHash } from 'node:crypto';
import type { EventOf, RequestFrame } from '@crewagent/protocol/events';
import type { MessageRules } from '@crewagent/protocol/model';
import type { PromptFrame } from '../../prompt/prompt-composer.ts';
import type { RunMemory } from '../run-memory.ts';

/** Frames are created once per agent and mode. */
const ids = new WeakMap<PromptFrame, Map<string, string>>();

/** Fields of `turn.started`: the frame itself only if the log does not have it yet. */
export function recordFrame(
  { frames }: RunMemory,
  frame: PromptFrame,
  rules: MessageRules,
): Pick<EventOf<'turn.started'>, 'frameId' | 'frame'> {
  const key = JSON.stringify(rules);
  const byRules = ids.get(frame) ?? new Map<string, string>();
  ids.set(frame, byRules);
  const known = byRules.get(key);
  if (known !== undefined && frames.has(known)) return { frameId: known };
  const recorded = toRecorded(frame, rules);
  const frameId = createHash('sha256').update(JSON.stringify(recorded)).digest('hex').slice(0, 16);
  byRules.set(key, frameId);
  return frames.has(frameId) ? { frameId } : { frameId, frame: recorded };
}

function toRecorded({ system, tools }: PromptFrame, rules: MessageRules): RequestFrame {
  return {
    system: system.map(({ content }) => content),
    tools: tools.map((tool) => ({ ...tool })),
    rules,
  };
}

/** The frame as it was sent; with its layers if the current version composes the same. */
export function toSentFrame(recorded: RequestFrame | undefined, current: PromptFrame): PromptFrame {
  if (!recorded) return current;
  const isSame = JSON.stringify(recorded) === JSON.stringify(toRecorded(current, recorded.rules));
  return isSame ? current : toFrame(recorded);
}

/** Without its layers, which a log does not have. */
export function toFrame({ system, tools }: RequestFrame): PromptFrame {
  return {
    layers: system.map((text) => ({ layer: 'rules', text })),
    system: system.map((content) => ({ role: 'system', content })),
    tools: tools as unknown as PromptFrame['tools'],
  };
}
