/** Messages to the model before a request: the position of the run if it changed, and queued input of the person. */
import type { PromptMode } from '../../prompt/base-rules.ts';
import { isAnchorKnown } from '../../prompt/history.ts';
import type { Intent } from '../../prompt/prompt-blocks.ts';
import { toHooksNote, toMovedNote, toPartialReplyNote } from '../../prompt/runtime-notes.ts';
import type { LiveRun } from '../live-run.ts';
import type { RunPosition } from '../run-position.ts';
import { composeAnchor } from './anchor.ts';
import { findPictures } from './pictures.ts';

export async function announcePosition(
  run: LiveRun,
  position: RunPosition,
  due: Intent | undefined,
): Promise<void> {
  await anchorIfDue(run, position, due);
  await sendInputs(run, position);
}

/** A note of the runtime to the model. */
export function nudge({ memory, emit }: LiveRun, content: string): void {
  const { nodeId } = memory.history;
  emit({ type: 'message.completed', role: 'user', purpose: 'nudge', nodeId, content });
}

/** The text of a stopped reply is not in the history: this tells the model how much of it the person has read. */
export function announcePartialReply(run: LiveRun): void {
  const { partialReply } = run.memory;
  if (partialReply.trim() !== '') nudge(run, toPartialReplyNote(partialReply));
}

/** Reports undone and redone files; call it only before a request that is sent anyway. */
export function announceMovedFiles(run: LiveRun): void {
  const { movedFiles } = run.memory;
  if (movedFiles.size > 0) nudge(run, toMovedNote([...movedFiles.values()]));
}

/** Reports what hooks said; call it only before a request that is sent anyway. */
export function announceHookMessages(run: LiveRun): void {
  const { hookMessages } = run.memory;
  if (hookMessages.size > 0) nudge(run, toHooksNote([...hookMessages.values()]));
}

export function promptModeFor(
  { at, isComplete }: RunPosition,
  { isClosing, agentId }: { isClosing: boolean; agentId: string },
): PromptMode {
  if (at) return isComplete && !isClosing ? 'completed' : 'run';
  return agentId === '' ? 'chat' : 'agent';
}

async function anchorIfDue(run: LiveRun, position: RunPosition, due: Intent | undefined): Promise<void> {
  const { history } = run.memory;
  const nodeId = position.isComplete ? undefined : position.nodeId;
  const isNewNode = history.messages.length === 0 || history.nodeId !== nodeId || history.isAnchorDue;
  const intent = due ?? (run.memory.inputs.length > 0 || isNewNode ? 'continue' : undefined);
  if (!intent) return;
  const anchor = await composeAnchor(run, position, intent);
  if (!anchor) return;
  const isChanged = due !== undefined || isNewNode || !isAnchorKnown(history, anchor.key);
  if (!isChanged) return;
  const delivered = anchor.blocks?.prefetched?.map(({ path }) => path);
  run.emit({
    type: 'message.completed',
    role: 'user',
    purpose: 'anchor',
    nodeId,
    content: anchor.content,
    anchorKey: anchor.key,
    anchorBlocks: anchor.blocks,
    delivered,
  });
}

async function sendInputs(run: LiveRun, position: RunPosition): Promise<void> {
  const nodeId = position.isComplete ? undefined : position.nodeId;
  // Sending an input removes it from `inputs`.
  for (const { content, purpose = 'input', subject } of [...run.memory.inputs]) {
    const isOfPerson = purpose === 'input' || subject?.kind === 'pictures';
    const pictures = isOfPerson ? await findPictures(run, content) : undefined;
    run.emit({ type: 'message.completed', role: 'user', purpose, nodeId, content, pictures, subject });
  }
}
