/**
 * Runs the commands of `verify` like commands of the model: in the sandbox, and only where a person switched commands on. Nobody is
 * asked here; a command that would need an approval is not run.
 */
import { randomUUID } from 'node:crypto';
import type { VerifyCommand } from '@crewagent/protocol/proof';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import type { FileRights } from '../../tools/file-rights.ts';
import type { VerifyOutcome } from '../../tools/proof/judge-node.ts';
import type { ToolSource } from '../../tools/tool-source.ts';

const SHELL_RUN = 'shell.run';

export function createVerifier(
  sources: readonly ToolSource[],
  presetNow: () => Promise<ApprovalPreset>,
  rights: FileRights | undefined,
): (command: VerifyCommand, signal: AbortSignal) => Promise<VerifyOutcome> {
  return async ({ run, timeoutSeconds }, signal) => {
    for (const source of sources) {
      await source.prepare?.([], signal);
      const tool = source.list([]).find(({ name }) => name === SHELL_RUN);
      if (!tool) continue;
      const args = { command: run, timeoutSeconds };
      const consent = await tool.consentFor?.(args);
      const isAllowed = consent?.isAllowed === true || (await presetNow()) === 'autopilot';
      if (!consent || consent.mustAsk || !isAllowed) return { reason: NOT_ALLOWED };
      // Unique: what an earlier command changed may still wait for an approval.
      const callId = `verify-${randomUUID()}`;
      const answer = await source.run(
        { name: SHELL_RUN, arguments: args },
        { callId, name: SHELL_RUN, signal, rights },
      );
      if (signal.aborted) return { reason: 'the run was stopped' };
      if (answer.kind !== 'result') return { reason: 'its changes need an approval' };
      return toOutcome(answer.result);
    }
    return { reason: 'commands are not switched on for this project' };
  };
}

const NOT_ALLOWED =
  'it needs an approval; allow it with "crewagent shell allow", or let the user waive this check';

function toOutcome(result: object): VerifyOutcome {
  const { exitCode, output } = { ...('error' in result ? detailsOf(result.error) : {}), ...result } as {
    exitCode?: unknown;
    output?: unknown;
  };
  if (typeof exitCode !== 'number') return { reason: 'it could not be run, or did not end in time' };
  return { exitCode, output: typeof output === 'string' ? output : '' };
}

function detailsOf(error: unknown): object {
  const { details } = (error ?? {}) as { readonly details?: unknown };
  return typeof details === 'object' && details !== null ? details : {};
}
