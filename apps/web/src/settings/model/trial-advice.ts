/** What a person can do about the step that failed. Pure. */
import type { ModelTest } from '../../api/settings-queries.ts';

export type TrialStep = NonNullable<ModelTest['report']>['steps'][number];

export type Advice = 'reach' | 'key' | 'reply' | 'tools';

export function adviceFor({ name, detail }: Pick<TrialStep, 'name' | 'detail'>): Advice {
  if (name === 'reached') return 'reach';
  if (/\bkeys?\b|\b40[13]\b|unauthori[sz]ed/i.test(detail)) return 'key';
  return name === 'reply' ? 'reply' : 'tools';
}
