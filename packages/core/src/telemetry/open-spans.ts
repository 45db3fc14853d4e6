/** The spans of a Work that are not finished: run, node, turn and reply inside each other, and the tool calls of a turn. */
import type { RunEvent } from '@crewagent/protocol/events';
import { sha256Of } from '../base/sha256.ts';
import type { Attributes, Span, SpanEvent } from './otlp.ts';

/** Outermost first; a span ends with those inside it. */
const LEVELS = ['run', 'node', 'turn', 'chat'] as const;
export type Level = (typeof LEVELS)[number];

export interface OpenSpan {
  readonly span: Omit<Span, 'endMs' | 'attributes' | 'events'>;
  readonly attributes: Record<string, Attributes[string]>;
  readonly events: SpanEvent[];
  /** Set if the span is over, and facts that belong to it may still come. */
  endMs?: number;
}

export interface SpanOwner {
  readonly workId: string;
  /** The Work whose trace it is: that of the caller, for a called workflow. */
  readonly rootId: string;
  readonly attributes: Attributes;
}

export type OpenSpans = ReturnType<typeof createOpenSpans>;

export function createOpenSpans({ workId, rootId, attributes }: SpanOwner, onSpan: (span: Span) => void) {
  const traceId = toTraceId(rootId);
  const open = new Map<Level, OpenSpan>();
  const tools = new Map<string, OpenSpan>();

  const create = (event: RunEvent, kind: Level | 'tool', name: string, own: Attributes): OpenSpan => {
    const outer = LEVELS.slice(0, kind === 'tool' ? LEVELS.indexOf('chat') : LEVELS.indexOf(kind));
    const parent = outer.findLast((level) => open.has(level));
    return {
      span: {
        traceId,
        spanId: sha256Of(`${workId}:${kind}:${event.seq}`).slice(0, 16),
        parentSpanId: parent && open.get(parent)?.span.spanId,
        name,
        kind: kind === 'chat' ? 'client' : 'internal',
        startMs: Date.parse(event.ts),
      },
      attributes: { ...attributes, ...own },
      events: [],
    };
  };
  const finish = (found: OpenSpan, atMs: number, fromOuter: string | undefined): void => {
    const own = found.attributes['error.type'];
    const error = typeof own === 'string' ? own : fromOuter;
    onSpan({
      ...found.span,
      attributes: { ...found.attributes, 'error.type': error },
      events: found.events,
      endMs: found.endMs ?? atMs,
      error,
    });
  };
  return {
    get: (level: Level): OpenSpan | undefined => open.get(level),
    begin(event: RunEvent, level: Level, name: string, own: Attributes): void {
      open.set(level, create(event, level, name, own));
    },
    /** Ends the span of the level and those inside it. */
    end({ ts }: RunEvent, level: Level, error?: string): void {
      for (const inner of LEVELS.slice(LEVELS.indexOf(level)).reverse()) {
        const found = open.get(inner);
        open.delete(inner);
        if (found) finish(found, Date.parse(ts), error);
      }
    },
    beginTool(event: RunEvent, callId: string, name: string, own: Attributes): void {
      tools.set(callId, create(event, 'tool', name, own));
    },
    endTool({ ts }: RunEvent, callId: string, error?: string): void {
      const found = tools.get(callId);
      tools.delete(callId);
      if (found) finish(found, Date.parse(ts), error);
    },
    /** Calls that wait for a person begin again when they are answered. */
    endTools(event: RunEvent): void {
      for (const callId of [...tools.keys()]) this.endTool(event, callId);
    },
    /** Adds an event to the innermost span except turns: a turn is only what belongs together. */
    note({ ts }: RunEvent, name: string, about: Attributes): void {
      const level = LEVELS.findLast((one) => one !== 'turn' && open.has(one));
      if (level) open.get(level)?.events.push({ name, timeMs: Date.parse(ts), attributes: about });
    },
  };
}

/** A UUID is a trace id, so that a trace is found by the id of its run. */
function toTraceId(id: string): string {
  const digits = id.replaceAll('-', '').toLowerCase();
  return /^[\da-f]{32}$/.test(digits) ? digits : sha256Of(id).slice(0, 32);
}
