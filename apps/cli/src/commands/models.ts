/** `crewagent config models`: what a provider offers, and which model servers run on this machine. */
import { CrewError, findLocalServers, listProviderModels } from '@crewagent/core';
import type { OfferedModel } from '@crewagent/protocol/api/settings';
import { providerSchema } from '@crewagent/protocol/model';
import { hostProcess } from '../host-process.ts';
import { openStore } from '../open-store.ts';
import { say } from '../print/texts/say.ts';
import { print, sanitize, style } from '../terminal.ts';
import { toServerName } from './choose-local-model.ts';

interface ListModelsOptions {
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly local?: true;
  readonly search?: string;
  readonly json?: true;
}

export async function listModels(name: string | undefined, options: ListModelsOptions): Promise<void> {
  const isLocal = options.local || (name === undefined && !options.provider && !options.baseUrl);
  const servers = isLocal
    ? await findLocalServers({ env: hostProcess().env })
    : [{ provider: undefined, ...(await askProvider(name, options)) }];
  const wanted = options.search?.toLowerCase() ?? '';
  const found = servers.map((server) => ({
    ...server,
    models: server.models.filter(({ id }) => id.toLowerCase().includes(wanted)),
  }));
  if (options.json) return print(JSON.stringify(found));
  if (found.length === 0) print(say('offered.noServer'));
  for (const { provider, baseUrl, models } of found) {
    const address = sanitize(baseUrl);
    const server = provider && say('offered.server', { name: toServerName(provider), address });
    print(style('bold', server ?? address));
    for (const model of models) print(`  ${sanitize(model.id)}${style('dim', describe(model))}`);
    if (models.length === 0) print(`  ${say('offered.none')}`);
  }
  if (isLocal && found.some(({ models }) => models.length > 0)) print(style('dim', say('offered.add')));
}

async function askProvider(name: string | undefined, { provider, baseUrl, apiKeyEnv }: ListModelsOptions) {
  const known = provider === undefined ? undefined : providerSchema.safeParse(provider);
  if (known?.success === false)
    throw new CrewError('USAGE', `The provider must be one of ${providerSchema.options.join(', ')}.`);
  const request = { savedModel: name, provider: known?.data, baseUrl, apiKeyEnv };
  return listProviderModels(request, { store: openStore(), env: hostProcess().env });
}

function describe({ contextTokens, prices, takesTools }: OfferedModel): string {
  const parts = [
    contextTokens === undefined ? '' : say('offered.context', { tokens: contextTokens }),
    prices === undefined
      ? ''
      : say('offered.prices', { input: `$${prices.input}`, output: `$${prices.output}` }),
    takesTools === false ? say('offered.noTools') : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `  ${parts.join(', ')}`;
}
