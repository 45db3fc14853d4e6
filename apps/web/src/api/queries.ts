/** Query keys and the queries that several screens use. */
import { type ApiClient, ApiError } from '@crewagent/protocol/api/client';
import type { ShownExample } from '@crewagent/protocol/api/packages';
import type { Language } from '@crewagent/protocol/languages';
import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { useTranslation } from '../i18n/use-translation.ts';
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

export type ShownPackage = Awaited<ReturnType<ApiClient['packages']['show']>>;
export type ShownGraphOf = Awaited<ReturnType<ApiClient['packages']['graph']>>;
export type PackageUsers = Awaited<ReturnType<ApiClient['packages']['users']>>;
export type ValidationReport = Awaited<ReturnType<ApiClient['packages']['validation']>>;

/** Queries about one package. Content under a hash is immutable, so most of it is requested once. */
export function usePackage(hash: string) {
  const client = useApi();
  return useQuery({
    queryKey: KEYS.package(hash),
    retry: false,
    queryFn: ({ signal }) => client.packages.show({ hash }, { signal }),
  });
}

export function useValidation(hash: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['validation', hash],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => client.packages.validation({ hash }, { signal }),
  });
}

export function useStep(hash: string, workflow: string, nodeId: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['step', hash, workflow, nodeId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => client.packages.node({ hash, nodeId, query: { workflow } }, { signal }),
  });
}

/** Packages bundled with the program, those in the language of the page first; their installed state changes with the packages. */
export function useExamples() {
  const client = useApi();
  const { i18n } = useTranslation();
  return useQuery({
    queryKey: KEYS.examples,
    queryFn: async ({ signal }) => (await client.packages.examples({}, { signal })).examples,
    select: (examples) => sortByLanguage(examples, i18n.language),
  });
}

/** Examples in the language of the page come first. Nothing else knows the language of an example. */
function sortByLanguage(examples: readonly ShownExample[], language: string): ShownExample[] {
  const isInLanguage = ({ example }: ShownExample): boolean => languageOf(example) === language;
  return [...examples.filter(isInLanguage), ...examples.filter((example) => !isInLanguage(example))];
}

/** Rule B46: the ids of Chinese examples, and only these, end with `-zh`. */
function languageOf(example: string): Language {
  return example.endsWith('-zh') ? 'zh-CN' : 'en';
}

export interface KnownAgent {
  readonly name: string;
  readonly title: string;
  readonly icon?: string | undefined;
}

/** The agent with this id; undefined while loading or if unknown. Content under a hash never changes, so it is cached forever. */
export function useAgent(
  packageHash: string | undefined,
  agentId: string | undefined,
): KnownAgent | undefined {
  const client = useApi();
  const { data } = useQuery({
    queryKey: ['agents', packageHash],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn:
      packageHash === undefined
        ? skipToken
        : async ({ signal }) => {
            const { agents } = await client.packages.show({ hash: packageHash }, { signal });
            return new Map<string, KnownAgent>(agents.map((agent) => [agent.id, agent]));
          },
  });
  return agentId === undefined ? undefined : data?.get(agentId);
}
