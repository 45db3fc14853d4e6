/**
 * The limits a person set. They pause a run and never fail it: resuming grants the same again.
 */
import { spentSoFar } from './call-workflow.ts';
import type { LiveRun } from './live-run.ts';
import { type StopPoint, waiting } from './stop-point.ts';

/** What the runs above have used up since they were resumed counts as well. */
export function findLimit(run: LiveRun): StopPoint | undefined {
  const { maxTurns, maxTokens, maxCostUsd, maxMinutes } = run.sources.record.limits;
  const { turns, tokens, costUsd, elapsedMs } = spentSoFar(run);
  if (turns >= maxTurns) {
    return waiting(
      'ENGINE_MAX_TURNS_EXCEEDED',
      `${turns} turns went by at this step without an end; resume to allow as many again, or say how to go on.`,
      { maxTurns },
    );
  }
  if (maxTokens !== undefined && tokens >= maxTokens)
    return overBudget(`${tokens} of ${maxTokens} tokens are used up`, { maxTokens });
  if (maxCostUsd !== undefined && costUsd >= maxCostUsd)
    return overBudget(`$${costUsd.toFixed(4)} of $${maxCostUsd} are spent`, { maxCostUsd });
  if (maxMinutes !== undefined && elapsedMs >= maxMinutes * 60_000)
    return overBudget(`the ${maxMinutes} minutes are over`, { maxMinutes });
  return undefined;
}

/** A limit in dollars holds nothing where no price is known. */
export function warnOfBlindLimit({ sources, emit }: LiveRun): void {
  const { record, adapter } = sources;
  if (record.limits.maxCostUsd === undefined || adapter.traits.prices || record.model.kind !== 'provider')
    return;
  const message = `The price of ${adapter.traits.name} is not known, so the limit on its cost cannot be held; set prices for it, or limit tokens.`;
  emit({ type: 'warning', code: 'PRICE_UNKNOWN', message });
}

function overBudget(what: string, details: Record<string, unknown>): StopPoint {
  return waiting(
    'ENGINE_BUDGET_EXCEEDED',
    `The budget is used up: ${what}; resume to grant as much again.`,
    details,
  );
}
