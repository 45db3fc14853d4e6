/**
 * Clients get previews without the path of the store (`redact`), and send the hash of what they got. The engine compares with the
 * hash of what it stored.
 */
import { createHash } from 'node:crypto';
import type { Pending } from '@crewagent/core';
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import type { DescribedAction } from '@crewagent/protocol/tools';
import type { Redact } from './redact.ts';

/** Replaces the hash of a redacted preview by that of the stored one; any other hash stays, and is judged by the engine. */
export function withStoredHashes(
  response: ApprovalResponse,
  pending: Pending | undefined,
  redact: Redact,
): ApprovalResponse {
  if (pending?.kind !== 'approval') return response;
  const toStored = (action: DescribedAction | undefined, shown: string | undefined): string | undefined => {
    const text = action?.preview.text ?? '';
    const sent = JSON.parse(redact(JSON.stringify(text))) as string;
    return sent !== text && sha256Of(sent) === shown ? sha256Of(text) : shown;
  };
  return {
    ...response,
    shown: toStored(pending.action, response.shown),
    following: response.following?.map((decision) => ({
      ...decision,
      shown: toStored(
        pending.following?.find(({ callId }) => callId === decision.callId)?.action,
        decision.shown,
      ),
    })),
  };
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
