/**
 * The closing turn: after the last node the model tells the person what was made, unless it has done so. Nothing that happens in it reverts the
 * completion, delays it or is tried again.
 */
import { announceMovedFiles, promptModeFor } from './context/announce-position.ts';
import { findLimit } from './limits.ts';
import type { LiveRun } from './live-run.ts';
import type { RunPosition } from './run-position.ts';
import { endOpenCalls, toolRound } from './tool-round.ts';
import { takeTurn } from './turn.ts';

/** Whether the reply that completed the workflow also told the person what was made, and did not only announce its calls. */
export function hasToldResults({ memory }: LiveRun): boolean {
  const text = memory.history.messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
  return Buffer.byteLength(text.trim()) >= MIN_CLOSING_BYTES && !ANNOUNCES.test(text);
}

const MIN_CLOSING_BYTES = 120;
const ANNOUNCES =
  /\b(?:I['’]ll|I will|I am going to|I['’]m going to|let me|let['’]s|now I)\b|我将|我会|我来|接下来/i;

export async function takeClosingTurn(
  run: LiveRun,
  position: RunPosition,
  signal: AbortSignal,
): Promise<void> {
  if (findLimit(run)) return;
  const agentId = run.agentOf(position.nodeId);
  const mode = promptModeFor(position, { isClosing: true, agentId });
  announceMovedFiles(run);
  await run.saveInput();
  const turn = await takeTurn(run, { agentId, mode, mayRestart: false }, signal);
  if (turn.kind === 'failed') {
    run.emit({ type: 'error', code: turn.error.code, message: turn.error.message });
  } else if (turn.kind === 'reply' && turn.calls.length > 0) {
    const round = await toolRound(run, signal);
    if (round.kind === 'suspended') endOpenCalls(run);
  }
}
