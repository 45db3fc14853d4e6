/**
 * Limits set by a person. Reaching a limit pauses a run: resuming grants the same amount again. A quota is different: all runs of a person
 * or a project share it, and only who set it can raise it.
 */
import { spentSoFar } from './calls/call-workflow.ts';
import type { LiveRun } from './live-run.ts';
import { type StopPoint, waiting } from './stop-point.ts';

/** Why the next turn must not start. */
export async function findLimit(run: LiveRun): Promise<StopPoint | undefined> {
  const own = findCapped(run) ?? findOwnLimit(run);
  const { record, quota } = run.sources;
  // A rehearsal and a replay cost nothing.
  if (own || !quota || record.model.kind !== 'provider') return own;
  const exceeded = await quota.findExceeded(record.runId);
  return exceeded && waiting('QUOTA_EXCEEDED', exceeded.message, exceeded.details);
}

/** Includes the spending of the callers since they were resumed. A call is progress of its caller: its turns do not count. */
function findOwnLimit(run: LiveRun): StopPoint | undefined {
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

/** Compares all that the run and its callers have used, resumed or not. */
function findCapped(run: LiveRun): StopPoint | undefined {
  const { cap } = run.sources;
  if (!cap) return undefined;
  const { totalTokens, totalCostUsd } = spentSoFar(run);
  const stop = (limit: 'maxTokens' | 'maxCostUsd'): StopPoint =>
    waiting('POLICY_FORBIDS', cap.toMessage(limit), { rule: `limits.${limit}` });
  if (totalTokens >= (cap.maxTokens ?? Number.POSITIVE_INFINITY)) return stop('maxTokens');
  if (totalCostUsd >= (cap.maxCostUsd ?? Number.POSITIVE_INFINITY)) return stop('maxCostUsd');
  return undefined;
}

/** Without known prices, a cost limit has no effect. */
export async function warnOfUnenforceableLimit({ sources, emit }: LiveRun): Promise<void> {
  const { record, adapter, quota } = sources;
  if (adapter.traits.prices || record.model.kind !== 'provider') return;
  if (record.limits.maxCostUsd === undefined && !(await quota?.limitsCost(record.runId))) return;
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
