/**
 * What a model is told before it is asked: where the run is, if that is news, and what the person said meanwhile.
 */
import type { PromptMode } from '../prompt/base-rules.ts';
import { type Intent, toMovedNote } from '../prompt/shells.ts';
import { composeAnchor } from './anchor.ts';
import type { LiveRun, Place } from './live-run.ts';

/** True where it changes what there is to do: another node, or a person's words. */
export async function tellPlace(run: LiveRun, place: Place, due: Intent | undefined): Promise<boolean> {
  const isNewNode = await anchorIfDue(run, place, due);
  const hasWords = run.memory.inputs.length > 0;
  sayInputs(run, place);
  return isNewNode || hasWords;
}

/** What a person's undo or redo did; to be told only where the model is asked anyway. */
export function tellMovedFiles({ memory, emit }: LiveRun): void {
  if (memory.movedFiles.size === 0) return;
  const { nodeId } = memory.history;
  const content = toMovedNote([...memory.movedFiles.values()]);
  const nodeField = nodeId === undefined ? {} : { nodeId };
  emit({ type: 'message.completed', role: 'user', purpose: 'nudge', ...nodeField, content });
}

export function modeAt(
  { at, isComplete }: Place,
  { isClosing, agentId }: { isClosing: boolean; agentId: string },
): PromptMode {
  if (at) return isComplete && !isClosing ? 'completed' : 'run';
  return agentId === '' ? 'chat' : 'agent';
}

/** True where the run is at a node the model was not yet told of. */
async function anchorIfDue(run: LiveRun, place: Place, due: Intent | undefined): Promise<boolean> {
  const { history } = run.memory;
  const nodeId = place.isComplete ? undefined : place.nodeId;
  const isNewNode = history.messages.length === 0 || history.nodeId !== nodeId;
  const intent = due ?? (run.memory.inputs.length > 0 || isNewNode ? 'continue' : undefined);
  if (!intent) return false;
  const anchor = await composeAnchor(run, place, intent);
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

function sayInputs(run: LiveRun, place: Place): void {
  // Telling one takes it off the list.
  for (const { content, purpose = 'input', subject } of [...run.memory.inputs]) {
    const { nodeId } = place;
    const nodeField = place.isComplete || nodeId === undefined ? {} : { nodeId };
    const about = subject ? { subject } : {};
    run.emit({ type: 'message.completed', role: 'user', purpose, ...nodeField, content, ...about });
  }
}
