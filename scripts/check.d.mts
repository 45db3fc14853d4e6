import type { PagePlan } from './find-chromium.mjs';
import type { StaticCheck } from './static-checks.mjs';

export interface CheckStep {
  readonly name: string;
  readonly run: (env: Readonly<Record<string, string | undefined>>) => Promise<CheckResult>;
}

export interface CheckResult {
  readonly status: number;
  readonly output: string;
}

export interface CheckOptions {
  readonly tests: readonly CheckStep[];
  readonly pageTests: readonly CheckStep[];
  readonly staticChecks?: readonly StaticCheck[];
  readonly plan?: PagePlan;
  readonly log?: (sentence: string) => void;
}

export function runChecks(options: CheckOptions): Promise<boolean>;
export function runAllTests(): Promise<boolean>;
export function runOtherJourneys(): Promise<boolean>;
