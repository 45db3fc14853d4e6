/** Which model of the servers on this machine is meant, where no model was named: the only one, or the one a person chooses. */
import { CrewError, findLocalServers } from '@crewagent/core';
import type { Provider } from '@crewagent/protocol/model';
import { createPrompter } from '../ask/prompter.ts';
import { hostProcess } from '../host-process.ts';
import { isInteractive, print, sanitize } from '../terminal.ts';

export interface LocalModel {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly model: string;
}

const SERVER_NAMES: Readonly<Partial<Record<Provider, string>>> = {
  ollama: 'Ollama',
  lmstudio: 'LM Studio',
  llamacpp: 'llama.cpp',
  vllm: 'vLLM',
};

/** For people. */
export function toServerName(provider: Provider): string {
  return SERVER_NAMES[provider] ?? provider;
}

export async function chooseLocalModel(wanted: Provider | undefined): Promise<LocalModel> {
  const servers = await findLocalServers({ env: hostProcess().env });
  const found = servers
    .filter(({ provider }) => wanted === undefined || provider === wanted)
    .flatMap(({ provider, baseUrl, models }) => models.map(({ id }) => ({ provider, baseUrl, model: id })));
  const [first, second] = found;
  if (!first)
    throw new CrewError(
      'USAGE',
      `No model server answers on this machine (${Object.values(SERVER_NAMES).join(', ')}). Start one, or say which model is meant: give --model with --base-url or --provider.`,
    );
  if (!second) return first;
  const chosen = isInteractive() ? await ask(found) : undefined;
  if (chosen) return chosen;
  const names = found.map(({ provider, model }) => `${toServerName(provider)}: ${model}`);
  throw new CrewError('USAGE', `Choose one of these models with --model. ${names.join('; ')}.`);
}

async function ask(found: readonly LocalModel[]): Promise<LocalModel | undefined> {
  print('Models on this machine:');
  const options = found.map(({ provider, model }) => `${sanitize(model)} (${toServerName(provider)})`);
  const picked = await createPrompter().pick({
    options,
    hint: '↑↓ to move · Enter to choose · or type a number',
  });
  const index = typeof picked === 'string' ? Number(picked) - 1 : picked?.[0];
  return index === undefined ? undefined : found[index];
}
