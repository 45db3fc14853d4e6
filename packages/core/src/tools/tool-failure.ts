/**
 * Converts file errors to tool failures: a code, and a message that says what to do instead. Mount paths only.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { errnoOf, errnoSentence, toFullDisk } from '../base/errno.ts';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import { SandboxViolation, type ViolationReason } from '../mounts/sandbox-violation.ts';
import { DamagedState } from './state/state-file.ts';
import { failure } from './tool.ts';

const ADVICE: Readonly<Record<ViolationReason, string>> = {
  path: 'use a path that begins with @project/, @pkg/ or @state/',
  link: 'use a path that does not go through a link out of the mount',
  special: 'choose a regular file',
  'read-only': 'write to @project/ instead',
  secret: 'ask the user for the information you need from it',
  private: 'use @state/workflow.md instead',
};

/** Rethrows errors that are not about files or paths: they are bugs. */
export function toFileFailure(error: unknown, path: string): ToolFailure {
  if (error instanceof DamagedState) return { ok: false, error: error.error };
  if (error instanceof SandboxViolation) {
    return failure('E_SANDBOX_VIOLATION', `The path "${path}" ${error.message}; ${ADVICE[error.reason]}.`, {
      reason: error.reason,
    });
  }
  if (error instanceof ChangedMeanwhile) {
    return failure(
      'E_PRECONDITION_FAILED',
      `"${path}" was changed by another program meanwhile; read it again, then retry.`,
    );
  }
  const code = errnoOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return failure('ENOENT', `There is no file or folder "${path}".`);
  }
  if (code === 'EISDIR') return failure('TOOL_ARGS_INVALID', `"${path}" is a folder; list it with fs.list.`);
  // Of the journal: the run pauses until a person has freed some space.
  const full = toFullDisk(error);
  if (full) throw full;
  if (code !== undefined) {
    const message = `"${path}" could not be accessed: ${errnoSentence(error)}. Nothing was changed.`;
    return failure('E_DISK', message, { errno: code });
  }
  throw error;
}
