/** The policies of this machine for people: what they allow, or why they cannot be used. */
import type { ShownPolicy } from '@crewagent/protocol/policy';
import { CrewError } from '../base/crew-error.ts';
import type { PolicySource } from './policy-source.ts';
import { toShownPolicy } from './restrict.ts';

export async function showPolicies(source: Pick<PolicySource, 'read'>): Promise<readonly ShownPolicy[]> {
  try {
    return (await source.read()).map(toShownPolicy);
  } catch (error) {
    if (!(error instanceof CrewError) || error.code !== 'POLICY_INVALID') throw error;
    return [{ place: String(error.details.place), problem: error.message }];
  }
}
