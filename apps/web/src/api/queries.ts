/** Query keys and the queries that several screens use. */
import { type ApiClient, ApiError } from '@crewagent/protocol/api/client';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useApi } from './api-context.tsx';

export const KEYS = {
  projects: ['projects'],
  /** Prefix of all queries about packages. */
  packages: ['packages'],
  packageList: ['packages', 'list'],
  packageContents: ['packages', 'contents'],
  examples: ['packages', 'examples'],
  package: (hash: string) => ['packages', 'one', hash],
} as const;

export function useProjects() {
  const client = useApi();
  return useQuery({
    queryKey: KEYS.projects,
    queryFn: async ({ signal }) => (await client.projects.list({}, { signal })).projects,
  });
}

export function usePackages() {
  const client = useApi();
  return useQuery({
    queryKey: KEYS.packageList,
    queryFn: async ({ signal }) => (await client.packages.list({}, { signal })).packages,
  });
}

export type InstalledPackage = Awaited<ReturnType<ApiClient['packages']['list']>>['packages'][number];

/** An installed package that cannot be read. */
export interface DamagedPackage {
  readonly package: InstalledPackage;
  /** The server's error. */
  readonly issue: ApiError;
}

/** Contents of each installed package; immutable under a hash. Damaged packages are listed separately. */
export function usePackageContents() {
  const client = useApi();
  return useQuery({
    queryKey: KEYS.packageContents,
    queryFn: async ({ signal }) => {
      const { packages } = await client.packages.list({}, { signal });
      const found = await Promise.all(
        packages.map(async (installed) => {
          try {
            return { shown: await client.packages.show({ hash: installed.hash }, { signal }) };
          } catch (error) {
            return { damaged: toDamaged(installed, error) };
          }
        }),
      );
      return {
        packages: found.flatMap(({ shown }) => shown ?? []),
        damaged: found.flatMap(({ damaged }) => damaged ?? []),
      };
    },
  });
}

/** Only an API error means that the package is damaged; failed connections and invalid tokens are rethrown. */
function toDamaged(installed: InstalledPackage, error: unknown): DamagedPackage {
  if (error instanceof ApiError && error.status !== 401) return { package: installed, issue: error };
  throw error;
}

export function useGraph(hash: string | undefined, workflow: string | undefined) {
  return useQuery({ ...graphQuery(useApi(), hash, workflow), enabled: hash !== undefined });
}

/** The graph of a workflow; a hash never means anything else. */
export function graphQuery(client: ApiClient, hash: string | undefined, workflow: string | undefined) {
  return queryOptions({
    queryKey: ['graph', hash, workflow],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      client.packages.graph(
        { hash: hash ?? '', query: workflow === undefined ? {} : { workflow } },
        { signal },
      ),
  });
}

export function useModels() {
  const client = useApi();
  return useQuery({
    queryKey: ['models'],
    queryFn: async ({ signal }) => {
      const [{ models }, { settings, environment }] = await Promise.all([
        client.models.list({}, { signal }),
        client.settings.show({}, { signal }),
      ]);
      return { models, defaultModel: settings.defaultModel, environment };
    },
  });
}

export function useFolders(path: string | undefined) {
  const client = useApi();
  return useQuery({
    queryKey: ['folders', path],
    retry: false,
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.folders.list({ query: path === undefined ? {} : { path } }, { signal }),
  });
}
