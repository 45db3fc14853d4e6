/** Queries for settings, system information and storage, and the mutation of one setting. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { CostReport } from '@crewagent/protocol/api/costs';
import type { ServerList } from '@crewagent/protocol/mcp';
import { PAGE_APPROVAL } from '@crewagent/protocol/tools';
import type { QueryClient } from '@tanstack/react-query';
import { useOffers } from '../state/team-server.ts';
import { useApiQuery } from './api-context.tsx';

export const SETTINGS_KEYS = {
  settings: ['settings'],
  models: ['models'],
  builtinModels: ['builtin-models'],
  modelReport: ['model-report'],
  costs: ['costs'],
  storage: ['storage'],
  system: ['system'],
  doctor: ['doctor'],
  servers: ['servers'],
  hooks: ['hooks'],
  shell: ['shell'],
  inputs: ['inputs'],
} as const;

export type Storage = Awaited<ReturnType<ApiClient['system']['storage']>>;
export type Doctor = Awaited<ReturnType<ApiClient['system']['doctor']>>;
export type ModelTest = Awaited<ReturnType<ApiClient['models']['test']>>;
export type BuiltinModels = Awaited<ReturnType<ApiClient['models']['showBuiltin']>>;

export function useSettings() {
  return useApiQuery(SETTINGS_KEYS.settings, ({ settings }, call) => settings.show({}, call));
}

/** What applies to a new Work unless something else is chosen. */
export function useStartDefaults() {
  const { data } = useSettings();
  if (!data) return undefined;
  const { approval = PAGE_APPROVAL, artifactsDir } = data.settings.tools;
  return { approval, artifactsDir, limits: data.settings.limits };
}

interface InputsOf {
  readonly packageHash?: string | undefined;
  readonly workflow?: string | undefined;
  readonly projectId?: string | undefined;
}

/** Questions that workflows ask once: of one workflow, or of all packages. */
export function useInputs(query: InputsOf, isReady = true) {
  return useApiQuery(
    [...SETTINGS_KEYS.inputs, query],
    async ({ settings }, call) => (await settings.inputs({ query }, call)).inputs,
    { enabled: isReady, staleTime: 0, retry: false },
  );
}

/** Sizes change with all that is done; they are measured anew whenever somebody looks, not on every window focus. */
export function useStorage() {
  return useApiQuery(SETTINGS_KEYS.storage, ({ system }, call) => system.storage({}, call), {
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}

export function useSystem() {
  return useApiQuery(SETTINGS_KEYS.system, ({ system }, call) => system.show({}, call));
}

export function useDoctor() {
  return useApiQuery(SETTINGS_KEYS.doctor, ({ system }, call) => system.doctor({}, call), { staleTime: 0 });
}

/** What models may run as commands in a project. */
export function useShell(projectId = '') {
  return useApiQuery(
    [...SETTINGS_KEYS.shell, projectId],
    ({ projects }, call) => projects.shell({ projectId }, call),
    { enabled: projectId !== '' },
  );
}

/** MCP servers of the settings and of a project. Their status changes by itself. */
export function useServers(projectId: string | undefined) {
  return useApiQuery<ServerList>(
    [...SETTINGS_KEYS.servers, projectId],
    ({ servers }, call) => servers.list({ query: { projectId } }, call),
    {
      staleTime: 0,
      refetchInterval: ({ state }) =>
        state.data?.servers.some(({ login }) => login?.url !== undefined) ? 1_000 : 5_000,
    },
  );
}

/** Hooks of the person, and those that a policy requires. */
export function useHooks() {
  return useApiQuery(SETTINGS_KEYS.hooks, ({ hooks }, call) => hooks.list({}, call), { staleTime: 0 });
}

/** Model servers running on this machine. */
export function useLocalServers(isWanted: boolean) {
  return useApiQuery(
    [...SETTINGS_KEYS.models, 'local'],
    async ({ models }, call) => (await models.findLocalModels({}, call)).servers,
    { enabled: useOffers('models.findLocalModels') && isWanted, retry: false },
  );
}

/** How models behaved; read anew whenever somebody looks. */
export function useModelReport() {
  return useApiQuery(
    SETTINGS_KEYS.modelReport,
    async ({ models }, call) => (await models.report({ query: {} }, call)).rows,
    { staleTime: 0, refetchOnWindowFocus: false },
  );
}

/** What the last days cost; read anew whenever somebody looks, and each second while logs are left to read. */
export function useCosts(days: number) {
  const query = { days: String(days), utcOffset: String(-new Date().getTimezoneOffset()) };
  return useApiQuery<CostReport>(
    [...SETTINGS_KEYS.costs, days],
    ({ costs }, call) => costs.show({ query }, call),
    {
      staleTime: 0,
      refetchOnWindowFocus: false,
      refetchInterval: ({ state }) => ((state.data?.remaining ?? 0) > 0 ? 1_000 : false),
    },
  );
}

/** Models that run inside of CrewAgent; looked at every second while one is being installed. */
export function useBuiltinModels() {
  return useApiQuery<BuiltinModels>(
    SETTINGS_KEYS.builtinModels,
    ({ models }, call) => models.showBuiltin({}, call),
    { staleTime: 0, refetchInterval: ({ state }) => (isInstalling(state.data) ? 1_000 : false) },
  );
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
