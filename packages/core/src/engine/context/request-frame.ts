/**
 * The constant part of requests as the log records it: once per frame, so that every request can be rebuilt byte for byte from the
 * log.
 */
import type { RequestFrame } from '@crewagent/protocol/event-messages';
import type { EventOf } from '@crewagent/protocol/events';
import type { MessageRules } from '@crewagent/protocol/model';
import { sha256Of } from '../../base/sha256.ts';
import { escapeTokens } from '../../llm/special-tokens.ts';
import { type FrameLayer, LAYER_SEPARATOR, type PromptFrame } from '../../prompt/prompt-composer.ts';
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
  const frameId = sha256Of(JSON.stringify(recorded)).slice(0, 16);
  byRules.set(key, frameId);
  return frames.has(frameId) ? { frameId } : { frameId, frame: recorded };
}

function toRecorded({ system, layers, tools }: PromptFrame, rules: MessageRules): RequestFrame {
  return {
    system: system.map(({ content }) => content),
    layers: layers.map(({ layer, text }) => ({ layer, length: escapeTokens(text).length })),
    tools: tools.map((tool) => ({ ...tool })),
    rules,
  };
}

/** The frame as it was sent. Logs of earlier versions have none, or one without its layers: these are those of the current one. */
export function toSentFrame(recorded: RequestFrame | undefined, current: PromptFrame): PromptFrame {
  if (!recorded) return current;
  if (recorded.layers) return toFrame(recorded);
  const { layers: _, ...same } = toRecorded(current, recorded.rules);
  return JSON.stringify(recorded) === JSON.stringify(same) ? current : toFrame(recorded);
}

export function toFrame({ system, layers = [], tools }: RequestFrame): PromptFrame {
  return {
    layers: toLayers(system, layers),
    system: system.map((content) => ({ role: 'system', content })),
    tools: tools as unknown as PromptFrame['tools'],
  };
}

/** The texts of the layers; as rules if the lengths are not those of the messages. */
function toLayers(system: readonly string[], layers: NonNullable<RequestFrame['layers']>): FrameLayer[] {
  const whole = system.join(LAYER_SEPARATOR);
  let at = 0;
  const texts = layers.map(({ layer, length }) => {
    const text = whole.slice(at, at + length);
    at += length + LAYER_SEPARATOR.length;
    return { layer, text };
  });
  const isSame = texts.map(({ text }) => text).join(LAYER_SEPARATOR) === whole;
  return isSame && texts.length > 0 ? texts : system.map((text) => ({ layer: 'rules', text }));
}
