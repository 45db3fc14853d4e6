/** Query keys and the queries that several screens use. */

import { type ApiClient, ApiError } from '@crewagent/protocol/api/client';
import type { GalleryCard, ShownExample } from '@crewagent/protocol/api/packages';
import { languageOfExample } from '@crewagent/protocol/languages';
import { toPackageTitle } from '@crewagent/protocol/package-title';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from '../i18n/use-translation.ts';
import { FOREVER, LIVE, useApi, useApiQuery } from './api-context.tsx';

export const KEYS = {
  projects: ['projects'],
  /** Prefix of all queries about packages. */
  packages: ['packages'],
  packageList: ['packages', 'list'],
  packageContents: ['packages', 'contents'],
  examples: ['packages', 'examples'],
  package: (hash: string) => ['packages', 'one', hash],
} as const;

type Packages = ApiClient['packages'];
export type InstalledPackage = Awaited<ReturnType<Packages['list']>>['packages'][number];
export type ShownPackage = Awaited<ReturnType<Packages['show']>>;
export type PackageUsers = Awaited<ReturnType<Packages['users']>>;
export type ValidationReport = Awaited<ReturnType<Packages['validation']>>;

export function useProjects() {
  return useApiQuery(KEYS.projects, async ({ projects }, call) => (await projects.list({}, call)).projects);
}

export function usePackages() {
  return useApiQuery(
    KEYS.packageList,
    async ({ packages }, call) => (await packages.list({}, call)).packages,
  );
}

/** An installed package that cannot be read. */
export interface DamagedPackage {
  readonly package: InstalledPackage;
  /** The server's error. */
  readonly issue: ApiError;
}

/** Contents of each installed package; immutable under a hash. Damaged packages are listed separately. */
export function usePackageContents() {
  return useApiQuery(KEYS.packageContents, async ({ packages }, call) => {
    const listed = await packages.list({}, call);
    const found = await Promise.all(
      listed.packages.map(async (installed) => {
        try {
          return { shown: await packages.show({ hash: installed.hash }, call) };
        } catch (error) {
          return { damaged: toDamaged(installed, error) };
        }
      }),
    );
    return {
      packages: found.flatMap(({ shown }) => shown ?? []),
      damaged: found.flatMap(({ damaged }) => damaged ?? []),
    };
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

/** The graph of a workflow. */
export function graphQuery({ packages }: ApiClient, hash = '', workflow?: string) {
  return queryOptions({
    ...FOREVER,
    queryKey: ['graph', hash, workflow],
    queryFn: ({ signal }) => packages.graph({ hash, query: { workflow } }, { signal }),
  });
}

export function useModels() {
  return useApiQuery(['models'], async (client, call) => {
    const [{ models }, { settings, environment }] = await Promise.all([
      client.models.list({}, call),
      client.settings.show({}, call),
    ]);
    return { models, defaultModel: settings.defaultModel, environment };
  });
}

export function useFolders(path: string | undefined, isWanted = true) {
  return useApiQuery(['folders', path], ({ folders }, call) => folders.list({ query: { path } }, call), {
    ...LIVE,
    enabled: isWanted,
  });
}

export function usePackage(hash: string) {
  return useApiQuery(KEYS.package(hash), ({ packages }, call) => packages.show({ hash }, call), {
    retry: false,
  });
}

export function useValidation(hash: string) {
  return useApiQuery(
    ['validation', hash],
    ({ packages }, call) => packages.validation({ hash }, call),
    FOREVER,
  );
}

/** A node with the text of its step. */
export function useNode(hash = '', workflow = '', nodeId: string) {
  return useApiQuery(
    ['node', hash, workflow, nodeId],
    ({ packages }, call) => packages.node({ hash, nodeId, query: { workflow } }, call),
    { ...FOREVER, enabled: hash !== '' && workflow !== '' },
  );
}

/** What a model is sent first at a node. */
export function usePrompt(hash: string, workflow: string, nodeId: string) {
  return useApiQuery(
    ['prompt', hash, workflow, nodeId],
    ({ packages }, call) => packages.prompt({ hash, nodeId, query: { workflow } }, call),
    FOREVER,
  );
}

/** Packages to choose from, those in the language of the page first; `hasDetails`: with graphs, and what earlier runs took. */
export function useGallery(hasDetails: boolean) {
  const { packages } = useApi();
  const { i18n } = useTranslation();
  return useQuery({
    queryKey: [...KEYS.packages, 'gallery', hasDetails],
    queryFn: async ({ signal }) =>
      (await packages.gallery({ query: { details: hasDetails ? 'true' : 'false' } }, { signal })).cards,
    select: (cards) =>
      cards.toSorted(
        (one, other) =>
          Number(isInOtherLanguage(one, i18n.language)) - Number(isInOtherLanguage(other, i18n.language)),
      ),
  });
}

function isInOtherLanguage({ example }: GalleryCard, language: string): boolean {
  return example !== undefined && languageOfExample(example) !== language;
}

/** Packages bundled with the program, those in the language of the page first; their installed state changes with the packages. */
export function useExamples() {
  const { packages } = useApi();
  const { i18n } = useTranslation();
  return useQuery({
    queryKey: KEYS.examples,
    queryFn: async ({ signal }) => (await packages.examples({}, { signal })).examples,
    select: (examples) => sortByLanguage(examples, i18n.language),
  });
}

function sortByLanguage(examples: readonly ShownExample[], language: string): ShownExample[] {
  const isOther = ({ example }: ShownExample): number => Number(languageOfExample(example) !== language);
  return examples.toSorted((one, other) => isOther(one) - isOther(other));
}

/** The agent with this id; undefined while loading or if unknown. */
export function useAgent(hash = '', agentId?: string) {
  const { data } = usePackageNames(hash);
  return agentId === undefined ? undefined : data?.agents.get(agentId);
}

/** The name of a package for people; undefined while loading or if unknown. */
export function usePackageTitle(hash = ''): string | undefined {
  return usePackageNames(hash).data?.title;
}

function usePackageNames(hash: string) {
  return useApiQuery(
    ['package-names', hash],
    async ({ packages }, call) => {
      const { package: pkg, agents, workflows } = await packages.show({ hash }, call);
      const title = toPackageTitle(pkg, workflows);
      return { title, agents: new Map(agents.map((agent) => [agent.id, agent])) };
    },
    { ...FOREVER, enabled: hash !== '' },
  );
}
