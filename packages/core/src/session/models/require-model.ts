/** Compares a model with the policies of this machine, before its keys are read or anything is sent to it. */
import type { RunModel } from '@crewagent/protocol/model';
import { type PolicyQuestion, requireAllowed } from '../../policy/restrict.ts';
import type { UserStore } from '../../store/store.ts';

/** Throws POLICY_FORBIDS. */
export async function requireModel(model: RunModel, { policy }: Pick<UserStore, 'policy'>): Promise<void> {
  const policies = await policy.read();
  if (policies.length === 0 || model.kind !== 'provider') return;
  requireAllowed(policies, await toModelQuestion(model.settings));
}

export async function toModelQuestion({
  provider,
  baseUrl,
  model: name,
}: Extract<RunModel, { kind: 'provider' }>['settings']): Promise<PolicyQuestion> {
  const { toBaseUrl } = await import('../../llm/provider/provider-profiles.ts');
  const isBuiltin = provider === 'builtin' && baseUrl === undefined;
  const address = isBuiltin ? undefined : toBaseUrl({ provider, baseUrl });
  const isOwnAddress =
    baseUrl === undefined ||
    (provider !== 'generic' && provider !== 'builtin' && toBaseUrl({ provider }).origin === address?.origin);
  return { kind: 'model', provider, name, address, isOwnAddress };
}
