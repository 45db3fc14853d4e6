/**
 * Removes the path of the private store from everything the server sends: one filter over JSON texts, so that routes need not
 * handle it.
 */

import { realpathSync } from 'node:fs';
import { type Pending, sha256Of } from '@crewagent/core';
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import type { DescribedAction } from '@crewagent/protocol/tools';

export type Redact = (json: string) => string;

export function createRedactor(storeRoot: string): Redact {
  const roots = [...new Set([storeRoot, realPath(storeRoot)])]
    .filter((root) => root.length > 1)
    .map((root) => JSON.stringify(root).slice(1, -1));
  const patterns = roots.map((root) => [root, toPattern(root)] as const);
  // Hardly any text contains a path of the store, and searching for one is much faster than matching the pattern.
  return (json) =>
    patterns.reduce(
      (text, [root, pattern]) => (text.includes(root) ? text.replace(pattern, '(store)') : text),
      json,
    );
}

/**
 * Matches a path, written as in JSON, except where it is part of a longer path: `/store` does not match `/store-2` or
 * `/a/store`. A letter before it may be the end of an escape such as `\n`.
 */
function toPattern(path: string): RegExp {
  const escaped = path.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const begins = '(?:(?<![\\p{L}\\p{N}_.-])|(?<=\\\\(?:[bfnrt]|u[0-9a-f]{4})))';
  const ends = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])';
  return new RegExp(begins + escaped + ends, 'gu');
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The folder does not exist yet.
    return path;
  }
}

/**
 * Clients get previews without the path of the store, and send the hash of what they got; the engine compares with the hash of
 * what it stored. Replaces the hash of a redacted preview by that of the stored one; any other hash stays, and is judged by
 * the engine.
 */
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
