/**
 * What went wrong with a file, told to the model: a code, a sentence with what to do instead, mount paths only.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { errnoOf, errnoSentence } from '../base/errno.ts';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import { SandboxViolation, type ViolationReason } from '../mounts/sandbox-violation.ts';
import { failure } from './tool.ts';

const ADVICE: Readonly<Record<ViolationReason, string>> = {
  path: 'use a path that begins with @project/, @pkg/ or @state/',
  link: 'use a path that does not go through a link out of the mount',
  special: 'choose an ordinary file',
  'read-only': 'write to @project/ instead',
  secret: 'ask the person for what you need to know from it',
  private: 'use @state/workflow.md itself',
};

/** The failure to answer with. What is not a matter of files or paths is thrown again: it is a bug. */
export function toFileFailure(error: unknown, path: string): ToolFailure {
  if (error instanceof SandboxViolation) {
    return failure('E_SANDBOX_VIOLATION', `The path "${path}" ${error.message}; ${ADVICE[error.reason]}.`, {
      reason: error.reason,
    });
  }
  if (error instanceof ChangedMeanwhile) {
    return failure(
      'E_PRECONDITION_FAILED',
      `"${path}" was changed by somebody else meanwhile; read it again, then repeat.`,
    );
  }
  const code = errnoOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return failure('ENOENT', `There is no file or folder "${path}"; list the folder above it with fs.list.`);
  }
  if (code === 'EISDIR') return failure('TOOL_ARGS_INVALID', `"${path}" is a folder; list it with fs.list.`);
  if (code !== undefined) {
    return failure('E_DISK', `"${path}" could not be used: ${errnoSentence(error)}. Nothing was changed.`, {
      errno: code,
    });
  }
  throw error;
}
