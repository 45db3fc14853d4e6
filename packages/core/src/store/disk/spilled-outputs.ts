/**
 * What tools answered, where that is too long for a line of a log: each content is a file named by its hash, and the line
 * bears the hash. Whoever reads the log is told the event as it was appended.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import type { ToolFailure } from '@crewagent/protocol/tools';
import { replaceFileSync, syncFolderSync } from '../../base/durable-files.ts';
import { errnoOf } from '../../base/errno.ts';
import { sha256Of } from '../../base/sha256.ts';
import { sweepTempFiles } from '../../base/staging.ts';

/** Longer answers have a file of their own. */
const INLINE_BYTES = 16_384;

/** On disk only. */
interface LineOfOutput extends EventOf<'tool.ended'> {
  /** A string, unless somebody changed the line. */
  readonly contentHash: unknown;
}

/**
 * The event as its line is to hold it. The content is durable when this returns; where the folder does not take it, it stays
 * in the line.
 */
export function toLogLine(event: RunEvent, folder: string): RunEvent {
  if (event.type !== 'tool.ended' || event.content.length <= INLINE_BYTES / 3) return event;
  const content = Buffer.from(event.content);
  // Half a character survives in JSON, but not in a file.
  if (content.length <= INLINE_BYTES || content.toString() !== event.content) return event;
  const contentHash = sha256Of(content);
  if (!keep(folder, contentHash, content)) return event;
  const line: LineOfOutput = { ...event, content: '', contentHash };
  return line;
}

/** The event as it was appended. Without its file, the model is told that the answer is lost. */
export function fromLogLine(event: RunEvent, folder: string | undefined): RunEvent {
  if (!isLineOfOutput(event)) return event;
  const { contentHash, ...rest } = event;
  const content = folder === undefined ? undefined : readOutput(folder, contentHash);
  return { ...rest, content: content ?? JSON.stringify(LOST) };
}

/** Deletes what a killed process left half written. A folder that cannot be looked through keeps no log from being opened. */
export async function sweepOutputs(folder: string): Promise<void> {
  try {
    await sweepTempFiles(folder, { isDeep: false });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

const LOST: ToolFailure = {
  ok: false,
  error: {
    code: 'E_DISK',
    message: 'What this call answered is no longer on disk; call the tool again if it is still needed.',
  },
};

function isLineOfOutput(event: RunEvent): event is LineOfOutput {
  return event.type === 'tool.ended' && 'contentHash' in event;
}

/** Whether the content is in the folder now. */
function keep(folder: string, hash: string, content: Buffer): boolean {
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

/** Undefined when it is not there, or not what it was. */
function readOutput(folder: string, hash: unknown): string | undefined {
  // It becomes part of a path.
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return undefined;
  try {
    const content = readFileSync(join(folder, hash));
    return sha256Of(content) === hash ? content.toString() : undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
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
