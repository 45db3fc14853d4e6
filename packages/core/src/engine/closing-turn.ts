/**
 * The closing turn: after the last node the model tells the person what was made. Nothing that happens in it reverts the
 * completion, delays it or is tried again.
 */
import { announceMovedFiles, promptModeFor } from './context/announce-position.ts';
import { findLimit } from './limits.ts';
import type { LiveRun } from './live-run.ts';
import type { RunPosition } from './run-position.ts';
import { endOpenCalls, toolRound } from './tool-round.ts';
import { takeTurn } from './turn.ts';

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
