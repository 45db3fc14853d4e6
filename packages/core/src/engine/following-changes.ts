/**
 * The file changes of a reply that follow one that waits for approval, described before their calls are made, so that a person
 * can decide on all of them at once. Executes nothing.
 */
import { isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import type { LoggedToolCall } from '@crewagent/protocol/event-messages';
import type { FollowingChange } from '@crewagent/protocol/tools';
import type { ApprovalRequest } from '../tools/tool-outcome.ts';

/** Bound the event that describes the changes; the others are requested later. */
const MAX_CHANGES = 32;
const MAX_PREVIEW_CHARS = 400_000;

export async function findFollowingChanges(
  first: ApprovalRequest,
  laterCalls: readonly LoggedToolCall[],
  previewOf: (call: LoggedToolCall) => Promise<ApprovalRequest | undefined>,
): Promise<FollowingChange[]> {
  const changes: FollowingChange[] = [];
  if (laterCalls.length === 0 || !(await canBeListed(first))) return changes;
  const targets = new Set([first.action.target]);
  let chars = 0;
  for (const call of laterCalls) {
    const request = await previewOf(call);
    // The diff of a second change of a file depends on the first.
    if (!request || targets.has(request.action.target) || !(await canBeListed(request))) continue;
    const { length } = request.action.preview.text;
    if (chars + length > MAX_PREVIEW_CHARS) continue;
    chars += length;
    targets.add(request.action.target);
    changes.push({ callId: call.id, tool: request.name, action: request.action });
    if (changes.length === MAX_CHANGES) break;
  }
  return changes;
}

/** A change that runs later, or whose diff is incomplete, is decided on alone. */
async function canBeListed({ action, runsLater }: ApprovalRequest): Promise<boolean> {
  if (!isFileAction(action) || isOnceOnly({ action, runsLater })) return false;
  // Loaded already: it made the diff.
  const { countChanges } = await import('../tools/files/unified-diff.ts');
  return countChanges(action.preview.text) !== undefined;
}
