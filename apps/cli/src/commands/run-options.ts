/** Options that several commands share: the model of a run or conversation, and its limits. */
import type { ModelChoice } from '@crewagent/core';
import type { RunLimits } from '@crewagent/protocol/settings';

export interface ModelOptions {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly rehearsal?: true;
  readonly replay?: string;
}

export function toModelChoice(options: ModelOptions): ModelChoice {
  const { model, baseUrl, apiKeyEnv, rehearsal, replay } = options;
  return { model: rehearsal ? 'rehearsal' : model, baseUrl, apiKeyEnv, replay };
}

export interface LimitOptions {
  readonly maxTurns?: number;
  readonly maxTokens?: number;
  readonly maxCost?: number;
  readonly maxMinutes?: number;
}

export function toLimits({ maxTurns, maxTokens, maxCost, maxMinutes }: LimitOptions): Partial<RunLimits> {
  return { maxTurns, maxTokens, maxCostUsd: maxCost, maxMinutes };
}
