/**
 * The lazy reader: never reads, never asks, completes every node at once and says that the user wanted it. Where a file is asked
 * for it writes one byte. Refused, it tries the same once more and then edits the state document, before it gives up. Pure.
 */
import { isStateChange, type PlannedMove, say } from '../../llm/rehearsal/leave.ts';
import { call, completeNode, hasLeft, patchState, targetsOf, write } from './actions.ts';
import type { RequestText } from './read-request.ts';

const CLAIM = 'The user chose C.';
/** Attempts with `runtime_complete_node`, then with a patch. */
const COMPLETIONS = 2;
const MAX_ATTEMPTS = 4;

export function replyLazily(request: RequestText): PlannedMove {
  if (hasLeft(request)) return say('Done.');
  const attempts = request.calls.filter(isStateChange).length;
  if (attempts >= MAX_ATTEMPTS) return say(`Everything is done. ${CLAIM}`);
  // A digit is valid JSON and YAML, and another one each time counts as a change.
  const writes = targetsOf(request).map((path) => write(path, String(attempts + 1)));
  const canPatch = request.offered.has('fs_apply_patch');
  const leave = attempts >= COMPLETIONS && canPatch ? patchState : completeNode;
  return call(...writes, leave(request, CLAIM));
}
