/** What the page asks the server for, under one name each. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from './api-context.tsx';

export const KEYS = { projects: ['projects'], packages: ['packages'] } as const;

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
    queryKey: KEYS.packages,
    queryFn: async ({ signal }) => (await client.packages.list({}, { signal })).packages,
  });
}

/** What is in each installed package; a hash never means anything else. */
export function usePackageContents() {
  const client = useApi();
  return useQuery({
    queryKey: [...KEYS.packages, 'contents'],
    queryFn: async ({ signal }) => {
      const { packages } = await client.packages.list({}, { signal });
      return Promise.all(packages.map(({ hash }) => client.packages.show({ hash }, { signal })));
    },
  });
}

export function useGraph(hash: string | undefined, workflow: string | undefined) {
  const client = useApi();
  return useQuery({
    queryKey: ['graph', hash, workflow],
    enabled: hash !== undefined,
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
