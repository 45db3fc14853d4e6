/** Queries for settings, system information and storage, and the mutation of one setting. */

import type { ApiClient } from '@crewagent/protocol/api/client';
import type { ServerList } from '@crewagent/protocol/mcp';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useApi } from './api-context.tsx';

export const SETTINGS_KEYS = {
  settings: ['settings'],
  models: ['models'],
  builtinModels: ['builtin-models'],
  modelReport: ['model-report'],
  storage: ['storage'],
  system: ['system'],
  doctor: ['doctor'],
  servers: ['servers'],
  shell: ['shell'],
  inputs: ['inputs'],
} as const;

export type Storage = Awaited<ReturnType<ApiClient['system']['storage']>>;
export type Doctor = Awaited<ReturnType<ApiClient['system']['doctor']>>;
export type ModelTest = Awaited<ReturnType<ApiClient['models']['test']>>;

export function useSettings() {
  const client = useApi();
  return useQuery({
    queryKey: SETTINGS_KEYS.settings,
    queryFn: ({ signal }) => client.settings.show({}, { signal }),
  });
}

interface InputsOf {
  readonly packageHash?: string | undefined;
  readonly workflow?: string | undefined;
  readonly projectId?: string | undefined;
}

/** Questions that workflows ask once: of one workflow, or of all packages. */
export function useInputs(of: InputsOf, isReady = true) {
  const client = useApi();
  const query = Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined));
  return useQuery({
    queryKey: [...SETTINGS_KEYS.inputs, query],
    enabled: isReady,
    staleTime: 0,
    retry: false,
    queryFn: async ({ signal }) => (await client.settings.inputs({ query }, { signal })).inputs,
  });
}

/** Sizes change with all that is done; they are measured anew whenever somebody looks. */
export function useStorage() {
  const client = useApi();
  return useQuery({
    queryKey: SETTINGS_KEYS.storage,
    staleTime: 0,
    // Measured on mount, not on every window focus.
    refetchOnWindowFocus: false,
    queryFn: ({ signal }) => client.system.storage({}, { signal }),
  });
}

export function useSystem() {
  const client = useApi();
  return useQuery({
    queryKey: SETTINGS_KEYS.system,
    queryFn: ({ signal }) => client.system.show({}, { signal }),
  });
}

export function useDoctor() {
  const client = useApi();
  return useQuery({
    queryKey: SETTINGS_KEYS.doctor,
    staleTime: 0,
    queryFn: ({ signal }) => client.system.doctor({}, { signal }),
  });
}

/** What models may run as commands in a project. */
export function useShell(projectId: string | undefined) {
  const client = useApi();
  return useQuery({
    queryKey: [...SETTINGS_KEYS.shell, projectId],
    enabled: projectId !== undefined,
    queryFn: ({ signal }) => client.projects.shell({ projectId: projectId ?? '' }, { signal }),
  });
}

/** MCP servers of the settings and of a project. Their status changes by itself. */
export function useServers(projectId: string | undefined) {
  const client = useApi();
  return useQuery<ServerList>({
    queryKey: [...SETTINGS_KEYS.servers, projectId],
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.servers.some(({ login }) => login?.url !== undefined) ? 1_000 : 5_000,
    queryFn: ({ signal }) =>
      client.servers.list({ query: projectId === undefined ? {} : { projectId } }, { signal }),
  });
}

export type OfferedModel = Awaited<ReturnType<ApiClient['models']['listProviderModels']>>['models'][number];
export type LocalServer = Awaited<ReturnType<ApiClient['models']['findLocalModels']>>['servers'][number];

/** Model servers running on this machine. */
export function useLocalServers(isWanted: boolean) {
  const client = useApi();
  return useQuery({
    queryKey: [...SETTINGS_KEYS.models, 'local'],
    enabled: isWanted,
    retry: false,
    queryFn: async ({ signal }) => (await client.models.findLocalModels({}, { signal })).servers,
  });
}

export type BuiltinModels = Awaited<ReturnType<ApiClient['models']['showBuiltin']>>;

/** How models behaved; read anew whenever somebody looks. */
export function useModelReport() {
  const client = useApi();
  return useQuery({
    queryKey: SETTINGS_KEYS.modelReport,
    staleTime: 0,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }) => (await client.models.report({ query: {} }, { signal })).rows,
  });
}

/** Models that run inside of CrewAgent; looked at every second while one is being installed. */
export function useBuiltinModels() {
  const client = useApi();
  return useQuery({
    queryKey: SETTINGS_KEYS.builtinModels,
    staleTime: 0,
    queryFn: ({ signal }): Promise<BuiltinModels> => client.models.showBuiltin({}, { signal }),
    refetchInterval: ({ state }) => (isInstalling(state.data) ? 1_000 : false),
  });
}

export function isInstalling(shown: BuiltinModels | undefined): boolean {
  const status = shown?.installation?.status;
  return status === 'runtime' || status === 'downloading';
}

/** Models are part of two queries. */
export async function forgetModels(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: SETTINGS_KEYS.models }),
    queries.invalidateQueries({ queryKey: SETTINGS_KEYS.settings }),
  ]);
}
