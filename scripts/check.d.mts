import type { PagePlan } from './find-chromium.mjs';

export type CheckStep = readonly [name: string, step: (env: Readonly<Record<string, string>>) => number];

export interface CheckOptions {
  readonly plan?: PagePlan;
  readonly steps?: readonly CheckStep[];
  readonly pageSteps?: readonly CheckStep[];
  readonly tell?: (sentence: string) => void;
}

export function runChecks(env?: Readonly<Record<string, string>>, options?: CheckOptions): boolean;
