/** Defaults for a new Work. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import { PAGE_APPROVAL } from '@crewagent/protocol/tools';
import { useQuery } from '@tanstack/react-query';
import { useApi } from './api-context.tsx';

/** Contents of an installed package. */
export type PackageContents = Awaited<ReturnType<ApiClient['packages']['show']>>;

export function useStartDefaults() {
  const client = useApi();
  return useQuery({
    queryKey: ['start-defaults'],
    queryFn: async ({ signal }) => {
      const { settings } = await client.settings.show({}, { signal });
      const { approval = PAGE_APPROVAL, artifactsDir } = settings.tools;
      return { approval, artifactsDir, limits: settings.limits };
    },
  });
}
