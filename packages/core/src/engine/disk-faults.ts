/**
 * Faults of the disk: a run pauses when the disk refuses a call for a reason that only a person can
 * fix. The call stays open and is made again when the run continues; the model is not told.
 */
import type { ErrorCode } from '@crewagent/protocol/errors';
import type { LoggedToolCall } from '@crewagent/protocol/event-messages';
import { effectKindOf } from '@crewagent/protocol/tool-effects';
import { CrewError } from '../base/crew-error.ts';
import type { LiveRun } from './live-run.ts';
import { type StopPoint, waiting } from './stop-point.ts';

const FAULTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'DISK_FULL',
  'DISK_READ_ONLY',
  'FOLDER_NOT_FOUND',
  'PACKAGE_DAMAGED',
]);

/** Throws if the project folder is missing: programs would report it in their own ways. */
export function requireProject({ sources }: LiveRun): void {
  sources.files.resolve({ mount: '@project', segments: [] }, 'read');
}

/** The stop for an error of `call`; throws any other error. */
export function stopAtFault(run: LiveRun, call: LoggedToolCall, error: unknown): StopPoint {
  if (!(error instanceof CrewError) || !FAULTS.has(error.code)) throw error;
  run.checkLog();
  const { code, message, details } = error;
  run.emit({ type: 'error', code, message, details: { ...details } });
  // A program that was started may have had an effect: it is not started again.
  const mayRetry = effectKindOf(call.name) !== 'external' || !run.memory.startedCalls.has(call.id);
  return waiting(code, message, { ...details, retriedCall: mayRetry ? call.id : undefined });
}
