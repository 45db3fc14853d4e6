/** Defaults for a new Work. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import { PAGE_APPROVAL } from '@crewagent/protocol/tools';
import { useApiQuery } from './api-context.tsx';

/** Contents of an installed package. */
export type PackageContents = Awaited<ReturnType<ApiClient['packages']['show']>>;

export function useStartDefaults() {
  return useApiQuery(['start-defaults'], async (client, call) => {
    const { settings } = await client.settings.show({}, call);
    const { approval = PAGE_APPROVAL, artifactsDir } = settings.tools;
    return { approval, artifactsDir, limits: settings.limits };
  });
}
