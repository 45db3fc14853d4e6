/**
 * Scripted readers that drive a run as a kind of model does: `lazy`, `literal` and `asking`. They know only what a model sees, the
 * messages and tools of a request, never the package. Each reply depends on the request alone.
 */
import type { LLMAdapter } from '../../llm/llm-adapter.ts';
import { type PlannedMove, say } from '../../llm/rehearsal/leave.ts';
import { createStandIn } from '../../llm/rehearsal/rehearsal.ts';
import { replyAsking } from './asking.ts';
import { replyLazily } from './lazy.ts';
import { replyLiterally } from './literal.ts';
import { type ReadableRequest, type RequestText, readRequest } from './read-request.ts';

export const READER_KINDS = ['lazy', 'literal', 'asking'] as const;
export type ReaderKind = (typeof READER_KINDS)[number];

/** Readers that do their work. */
export const DILIGENT_READERS = ['literal', 'asking'] as const;

const READERS: Readonly<Record<ReaderKind, (request: RequestText) => PlannedMove>> = {
  lazy: replyLazily,
  literal: replyLiterally,
  asking: replyAsking,
};

export function replyAs(kind: ReaderKind, request: ReadableRequest): PlannedMove {
  const text = readRequest(request);
  return text ? READERS[kind](text) : say('The workflow is complete.');
}

export function createReader(kind: ReaderKind): LLMAdapter {
  return createStandIn(kind, (request) => replyAs(kind, request));
}
