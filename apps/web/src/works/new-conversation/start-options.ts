/** How something is begun: who answers, what it may do without asking, and how far it may go. Blank is the default. Pure. */
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import type { Kind } from './kind-choice.tsx';

export const LIMITS = ['maxTurns', 'maxTokens', 'maxCostUsd'] as const;
export type Limit = (typeof LIMITS)[number];

export interface StartOptions {
  /** Empty for the one that answers where nobody chooses another. */
  readonly model: string;
  readonly approval: ApprovalPreset | undefined;
  /** As typed. */
  readonly limits: Readonly<Record<Limit, string>>;
}

export const NO_OPTIONS: StartOptions = {
  model: '',
  approval: undefined,
  limits: { maxTurns: '', maxTokens: '', maxCostUsd: '' },
};

/** A workflow has to write, if only how far it is. */
export function goesWith(preset: ApprovalPreset, kind: Kind): boolean {
  return kind !== 'workflow' || preset !== 'read-only';
}

/** What is no limit: a whole number from 1, or an amount above nothing. */
export function findLimitIssues({ limits }: StartOptions): readonly Limit[] {
  return LIMITS.filter(
    (limit) => limits[limit].trim() !== '' && parseLimit(limit, limits[limit]) === undefined,
  );
}

export interface Beginning {
  readonly model?: string;
  readonly approval?: ApprovalPreset;
  readonly limits?: Partial<Record<Limit, number>>;
}

/** As the server takes it; what was left blank is left out. */
export function toBeginning({ model, approval, limits }: StartOptions): Beginning {
  const given = LIMITS.flatMap((limit) => {
    const value = parseLimit(limit, limits[limit]);
    return value === undefined ? [] : [[limit, value] as const];
  });
  return {
    ...(model === '' ? {} : { model }),
    ...(approval === undefined ? {} : { approval }),
    ...(given.length === 0 ? {} : { limits: Object.fromEntries(given) }),
  };
}

function parseLimit(limit: Limit, text: string): number | undefined {
  const value = Number(text.trim().replace(',', '.'));
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) return undefined;
  return limit === 'maxCostUsd' || Number.isInteger(value) ? value : undefined;
}
