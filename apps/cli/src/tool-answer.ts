/**
 * What people want to know of a tool's answer, which is JSON for the model: the file it wrote, why it failed. Pure.
 */
import type { EventOf } from '@crewagent/protocol/events';

const WRITERS: ReadonlySet<string> = new Set(['fs.write', 'fs.apply_patch']);
const PROJECT = '@project/';

/** The file of the project that a call wrote, relative to the project. */
export function writtenFile({ name, outcome, content }: EventOf<'tool.ended'>): string | undefined {
  const path = WRITERS.has(name) && outcome === 'ok' ? objectIn(content)?.path : undefined;
  return typeof path === 'string' && path.startsWith(PROJECT) ? path.slice(PROJECT.length) : undefined;
}

export function failureIn(content: string): string | undefined {
  const error = objectIn(content)?.error;
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  return typeof message === 'string' ? message : undefined;
}

function objectIn(content: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
