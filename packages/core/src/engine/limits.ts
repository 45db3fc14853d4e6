/**
 * Limits set by a person. Reaching a limit pauses a run: resuming grants the same amount again.
 */
import { spentSoFar } from './calls/call-workflow.ts';
import type { LiveRun } from './live-run.ts';
import { type StopPoint, waiting } from './stop-point.ts';

/** Includes the spending of the callers since they were resumed. A call is progress of its caller: its turns do not count. */
export function findLimit(run: LiveRun): StopPoint | undefined {
  const { maxTurns, maxTokens, maxCostUsd, maxMinutes } = run.sources.record.limits;
  const { tokens, costUsd, elapsedMs } = spentSoFar(run);
  const { turnsWithoutProgress: turns } = run.memory;
  if (turns >= maxTurns) {
    return waiting(
      'ENGINE_MAX_TURNS_EXCEEDED',
      `This step took ${turns} turns without finishing; resume to allow as many again, or say how to continue.`,
      { maxTurns },
    );
  }
  if (maxTokens !== undefined && tokens >= maxTokens)
    return overBudget(`${tokens} of ${maxTokens} tokens`, { maxTokens });
  if (maxCostUsd !== undefined && costUsd >= maxCostUsd)
    return overBudget(`$${costUsd.toFixed(4)} of $${maxCostUsd}`, { maxCostUsd });
  if (maxMinutes !== undefined && elapsedMs >= maxMinutes * 60_000)
    return overBudget(`${maxMinutes} minutes`, { maxMinutes });
  return undefined;
}

/** Without known prices, a cost limit has no effect. */
export function warnOfUnenforceableLimit({ sources, emit }: LiveRun): void {
  const { record, adapter } = sources;
  if (record.limits.maxCostUsd === undefined || adapter.traits.prices || record.model.kind !== 'provider')
    return;
  const message = `The price of ${adapter.traits.name} is not known, so the limit on its cost cannot be enforced; set prices for it, or limit tokens.`;
  emit({ type: 'warning', code: 'PRICE_UNKNOWN', message });
}

function overBudget(usage: string, details: Record<string, unknown>): StopPoint {
  return waiting(
    'ENGINE_BUDGET_EXCEEDED',
    `The limit of the run is reached (${usage}); resume to grant as much again.`,
    details,
  );
}
