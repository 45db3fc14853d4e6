/** What is chosen before the start: the kind of Work, and options for model, approvals and limits. Empty means the default. */
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import type { ShownPackage } from '../../api/queries.ts';
import { useStartDefaults } from '../../api/settings-queries.ts';

export const KINDS = ['agent', 'workflow', 'chat'] as const;
export type Kind = (typeof KINDS)[number];

export const LIMITS = ['maxTurns', 'maxTokens', 'maxCostUsd'] as const;
export type Limit = (typeof LIMITS)[number];

export interface StartOptions {
  /** Empty: the default model. */
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

/** A workflow must write, at least its state. */
export function goesWith(preset: ApprovalPreset, kind: Kind): boolean {
  return kind !== 'workflow' || preset !== 'read-only';
}

/** Invalid limits: not a whole number from 1, or not an amount above zero. */
export function findLimitIssues({ limits }: StartOptions): readonly Limit[] {
  return LIMITS.filter(
    (limit) => limits[limit].trim() !== '' && parseLimit(limit, limits[limit]) === undefined,
  );
}

/** The request fields; empty options are omitted. */
export function toStartRequest({ model, approval, limits }: StartOptions) {
  const given = LIMITS.flatMap((limit) => {
    const value = parseLimit(limit, limits[limit]);
    return value === undefined ? [] : [[limit, value] as const];
  });
  return {
    model: model || undefined,
    approval,
    limits: given.length === 0 ? undefined : Object.fromEntries(given),
  };
}

function parseLimit(limit: Limit, text: string): number | undefined {
  const value = Number(text.trim().replace(',', '.'));
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) return undefined;
  return limit === 'maxCostUsd' || Number.isInteger(value) ? value : undefined;
}

/**
 * The effective approval preset: the chosen one, else the default, if it is allowed for the kind of Work. Undefined while unknown,
 * or if the user must still choose.
 */
export function useApproval(options: StartOptions, kind: Kind) {
  const defaults = useStartDefaults();
  const wanted = options.approval ?? defaults?.approval;
  const isToBeChosen = wanted !== undefined && !goesWith(wanted, kind);
  return { approval: isToBeChosen ? undefined : wanted, isToBeChosen };
}

/** The kind for the package from the route; else an agent with a menu, else a workflow, if there is one. */
export function firstKind(packages: readonly ShownPackage[], wantedHash?: string): Kind {
  const wanted = packages.find(({ package: { hash } }) => hash === wantedHash);
  if (wanted) return wanted.workflows.length > 0 ? 'workflow' : 'agent';
  if (packages.some(({ agents }) => agents.some(({ menu }) => menu.length > 0))) return 'agent';
  return packages.some(({ workflows }) => workflows.length > 0) ? 'workflow' : 'chat';
}

/** Puts the package from the route first, because the first one is preselected. */
export function withFirst(
  packages: readonly ShownPackage[],
  wantedHash: string | undefined,
): readonly ShownPackage[] {
  const isWanted = ({ package: { hash } }: ShownPackage): boolean => hash === wantedHash;
  return [...packages.filter(isWanted), ...packages.filter((other) => !isWanted(other))];
}
