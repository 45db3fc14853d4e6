/**
 * What a model is told before it is asked: where the run is, if that is news, and what the person said meanwhile.
 */
import type { PromptMode } from '../prompt/base-rules.ts';
import { type Intent, toMovedNote, toPartialReplyNote } from '../prompt/prompt-blocks.ts';
import { composeAnchor } from './anchor.ts';
import type { LiveRun, RunPosition } from './live-run.ts';

/** True where it changes what there is to do: another node, or a person's words. */
export async function announcePosition(
  run: LiveRun,
  position: RunPosition,
  due: Intent | undefined,
): Promise<boolean> {
  const isNewNode = await anchorIfDue(run, position, due);
  const hasWords = run.memory.inputs.length > 0;
  sayInputs(run, position);
  return isNewNode || hasWords;
}

/** A reply that was stopped is not in the messages of the model: it learns how far the person has read. */
export function announcePartialReply({ memory, emit }: LiveRun): void {
  if (memory.partialReply.trim() === '') return;
  const { nodeId } = memory.history;
  const content = toPartialReplyNote(memory.partialReply);
  const nodeField = nodeId === undefined ? {} : { nodeId };
  emit({ type: 'message.completed', role: 'user', purpose: 'nudge', ...nodeField, content });
}

/** What a person's undo or redo did; to be told only where the model is asked anyway. */
export function tellMovedFiles({ memory, emit }: LiveRun): void {
  if (memory.movedFiles.size === 0) return;
  const { nodeId } = memory.history;
  const content = toMovedNote([...memory.movedFiles.values()]);
  const nodeField = nodeId === undefined ? {} : { nodeId };
  emit({ type: 'message.completed', role: 'user', purpose: 'nudge', ...nodeField, content });
}

export function promptModeFor(
  { at, isComplete }: RunPosition,
  { isClosing, agentId }: { isClosing: boolean; agentId: string },
): PromptMode {
  if (at) return isComplete && !isClosing ? 'completed' : 'run';
  return agentId === '' ? 'chat' : 'agent';
}

/** True where the run is at a node the model was not yet told of. */
async function anchorIfDue(run: LiveRun, position: RunPosition, due: Intent | undefined): Promise<boolean> {
  const { history } = run.memory;
  const nodeId = position.isComplete ? undefined : position.nodeId;
  const isNewNode = history.messages.length === 0 || history.nodeId !== nodeId || history.isAnchorDue;
  const intent = due ?? (run.memory.inputs.length > 0 || isNewNode ? 'continue' : undefined);
  if (!intent) return false;
  const anchor = await composeAnchor(run, position, intent);
  if (!anchor) return false;
  const isNews = due !== undefined || isNewNode || anchor.key !== history.anchorKey;
  if (!isNews) return false;
  run.emit({
    type: 'message.completed',
    role: 'user',
    purpose: 'anchor',
    ...(nodeId === undefined ? {} : { nodeId }),
    content: anchor.content,
    anchorKey: anchor.key,
  });
  return isNewNode;
}

function sayInputs(run: LiveRun, position: RunPosition): void {
  // Telling one takes it off the list.
  for (const { content, purpose = 'input', subject } of [...run.memory.inputs]) {
    const { nodeId } = position;
    const nodeField = position.isComplete || nodeId === undefined ? {} : { nodeId };
    const about = subject ? { subject } : {};
    run.emit({ type: 'message.completed', role: 'user', purpose, ...nodeField, content, ...about });
  }
}
