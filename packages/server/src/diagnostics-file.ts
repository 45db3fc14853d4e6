/**
 * What helps to find a fault, as one file that can be given to anybody: versions, the doctor, settings, counts and codes. Put
 * together from what is named here one by one: no key, no place of this machine, no word of a person, a model, a package or a
 * file gets in by being somewhere.
 */
import {
  CrewError,
  type Diagnosis,
  diagnose,
  listProjects,
  loadSettings,
  readRecentErrors,
  type SecretStore,
} from '@crewagent/core';
import type { ModelSettings } from '@crewagent/protocol/model';
import type { Settings } from '@crewagent/protocol/settings';
import { VERSION } from '@crewagent/protocol/version';
import type { ServerParts } from './server-parts.ts';

export async function writeDiagnostics({ runtime, env, startedAt }: ServerParts): Promise<string> {
  const { store } = runtime;
  const found = {
    program: { version: VERSION, node: process.version, platform: process.platform, arch: process.arch },
    startedAt,
    writtenAt: new Date().toISOString(),
    doctor: toDoctor(await diagnose(store)),
    settings: await orCode(async () => toSettings(await loadSettings(store), runtime.secrets)),
    environment: {
      hasModel: Boolean(env.CREWAGENT_MODEL),
      ...(env.CREWAGENT_BASE_URL ? { baseUrl: toAddress(env.CREWAGENT_BASE_URL) } : {}),
      hasKey: Boolean(env.CREWAGENT_API_KEY || env.OPENAI_API_KEY),
    },
    projects: await orCode(async () => (await listProjects(store)).length),
    latest: await orCode(() => readRecentErrors(store)),
  };
  return `${JSON.stringify(found, null, 2)}\n`;
}

function toDoctor({ store, settings, projects, ripgrep, hasKernelLocks, packages, runs }: Diagnosis) {
  return {
    store: { exists: store.exists, ...toProblem(store) },
    settings: toProblem(settings),
    projects: toProblem(projects),
    hasRipgrep: ripgrep !== undefined,
    hasKernelLocks,
    packages: { count: packages.count, ...toProblem(packages) },
    runs: {
      count: runs.count,
      interrupted: runs.interrupted,
      damaged: runs.damaged,
      ...toProblem(runs),
    },
  };
}

/** Names and places stand between quotes; what stands there may hold quotes as well. */
function toProblem({ problem }: { readonly problem?: string }): { problem?: string } {
  return problem === undefined ? {} : { problem: problem.replace(/".*"/s, '"…"') };
}

/** Something that cannot be read is told by its code. */
async function orCode<T>(work: () => Promise<T>): Promise<T | { readonly problem: string }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CrewError) return { problem: error.code };
    throw error;
  }
}

async function toSettings(
  { models, defaultModel, tools, mcp: { servers }, context, limits }: Settings,
  secrets: SecretStore,
) {
  const { fs, mcp, approval, strictState, strictOutputs, readAhead, toolTimeoutMs } = tools;
  const { maxTurns, maxTokens, maxCostUsd, maxMinutes } = limits;
  return {
    // Without the names that people gave them.
    models: await Promise.all(
      Object.entries(models).map(async ([name, model]) => ({
        ...toModel(model),
        isDefault: name === defaultModel,
        hasKey: await secrets.has(name),
      })),
    ),
    tools: {
      fs: {
        enabled: fs.enabled,
        maxReadBytes: fs.maxReadBytes,
        maxWriteBytes: fs.maxWriteBytes,
        inlineReadBytes: fs.inlineReadBytes,
        secretPatterns: fs.secretPatterns.length,
      },
      mcp: { enabled: mcp.enabled, servers: Object.keys(servers).length },
      approval,
      strictState,
      strictOutputs,
      readAhead,
      toolTimeoutMs,
    },
    context: { scope: context.scope },
    limits: { maxTurns, maxTokens, maxCostUsd, maxMinutes },
  };
}

function toModel(settings: ModelSettings) {
  const { provider, baseUrl, model, apiKeyEnv, contextTokens, maxOutputTokens, temperature, prices } =
    settings;
  return {
    provider,
    ...(baseUrl === undefined ? {} : { baseUrl: toAddress(baseUrl) }),
    // Some servers call a model by the file it is in.
    model: /^(?:[/\\~.]|[A-Za-z]:[/\\])/.test(model) ? '(a path)' : model,
    hasKeyVariable: apiKeyEnv !== undefined,
    contextTokens,
    maxOutputTokens,
    temperature,
    hasPrices: prices !== undefined,
  };
}

/** Without what may be a key: a user, a query. */
function toAddress(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return '(no address)';
  }
}
