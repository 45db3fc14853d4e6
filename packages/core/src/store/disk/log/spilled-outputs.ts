/**
 * Tool results that are too long for a line of a log: each is a file named by the hash of its content, and the line contains
 * the hash. Readers of the log get the event as it was appended.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import type { ToolFailure } from '@crewagent/protocol/tools';
import { replaceFileSync, syncFolderSync } from '../../../base/durable-files.ts';
import { errnoOf, ifAllowed, ifSystemAllows } from '../../../base/errno.ts';
import { sha256Of } from '../../../base/sha256.ts';
import { sweepTempFiles } from '../../../base/staging.ts';

/** Longer results are stored in a file. */
const INLINE_BYTES = 16_384;

/** On disk only. */
interface SpilledLine extends EventOf<'tool.ended'> {
  /** A string, unless the line was tampered with. */
  readonly contentHash: unknown;
}

/**
 * Converts an event to the form in its line. The content is durable when this returns; if it cannot be written to the
 * folder, it stays in the line.
 */
export function toLogLine(event: RunEvent, folder: string): RunEvent {
  if (event.type !== 'tool.ended' || event.content.length <= INLINE_BYTES / 3) return event;
  const content = Buffer.from(event.content);
  // A lone surrogate survives in JSON, but not in UTF-8.
  if (content.length <= INLINE_BYTES || content.toString() !== event.content) return event;
  const contentHash = sha256Of(content);
  if (!spill(folder, contentHash, content)) return event;
  const line: SpilledLine = { ...event, content: '', contentHash };
  return line;
}

/** The event as it was appended. If the file is missing, the content is an error for the model. */
export function fromLogLine(event: RunEvent, folder: string | undefined): RunEvent {
  if (!isSpilled(event)) return event;
  const { contentHash, ...rest } = event;
  const content = folder === undefined ? undefined : readOutput(folder, contentHash);
  return { ...rest, content: content ?? JSON.stringify(LOST_OUTPUT) };
}

/** Deletes incomplete files of a killed process. Ignores disk errors, so that the log can be opened. */
export async function sweepOutputs(folder: string): Promise<void> {
  await ifAllowed(sweepTempFiles(folder, { isDeep: false }));
}

const LOST_OUTPUT: ToolFailure = {
  ok: false,
  error: {
    code: 'E_DISK',
    message: 'The result of this call is no longer on disk; call the tool again if it is still needed.',
  },
};

function isSpilled(event: RunEvent): event is SpilledLine {
  return event.type === 'tool.ended' && 'contentHash' in event;
}

/** Returns whether the content is in the folder. */
function spill(folder: string, hash: string, content: Buffer): boolean {
  try {
    if (readOutput(folder, hash) !== undefined) return true;
    createFolder(folder);
    replaceFileSync(join(folder, hash), content);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** Undefined if the file is missing or damaged. */
function readOutput(folder: string, hash: unknown): string | undefined {
  // The hash becomes part of a path.
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const content = ifSystemAllows(() => readFileSync(join(folder, hash)));
  return content && sha256Of(content) === hash ? content.toString() : undefined;
}

function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return;
    throw error;
  }
  syncFolderSync(dirname(folder));
}
