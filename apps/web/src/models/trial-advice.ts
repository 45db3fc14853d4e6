/** Advice for a failed step of a model test. Pure. */
import type { ModelTest } from '../api/settings-queries.ts';

export type TrialStep = NonNullable<ModelTest['report']>['steps'][number];

export type Advice = 'reach' | 'noKey' | 'key' | 'reply' | 'tools';

export function adviceFor({ name, detail }: Pick<TrialStep, 'name' | 'detail'>): Advice {
  // Reported before a request was sent, so it shows up as "not reached".
  if (/\bwants an API key\b/i.test(detail)) return 'noKey';
  if (/\bkeys?\b|\b40[13]\b|unauthori[sz]ed/i.test(detail)) return 'key';
  if (name === 'reached') return 'reach';
  return name === 'reply' ? 'reply' : 'tools';
}
