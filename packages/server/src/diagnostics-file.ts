/**
 * The diagnostics file: versions, doctor results, settings, counts and error codes, safe to share with anybody. Every field is
 * listed here explicitly, so that no key, path, prompt, model output, package text or file content gets in by accident.
 */
import { CrewError, type Diagnosis, diagnose, readRecentErrors, type SecretStore } from '@crewagent/core';
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
    settings: await orCode(async () => toSettings(await store.settings.load(), runtime.secrets)),
    environment: {
      hasModel: Boolean(env.CREWAGENT_MODEL),
      baseUrl: env.CREWAGENT_BASE_URL ? toAddress(env.CREWAGENT_BASE_URL) : undefined,
      hasKey: Boolean(env.CREWAGENT_API_KEY || env.OPENAI_API_KEY),
    },
    projects: await orCode(async () => (await store.projects.list()).length),
    latest: await orCode(() => readRecentErrors(store)),
  };
  return `${JSON.stringify(found, null, 2)}\n`;
}

function toDoctor({ store, settings, projects, ripgrep, hasKernelLocks, packages, runs }: Diagnosis) {
  return {
    store: { exists: store.exists, problem: withoutNames(store) },
    settings: { problem: withoutNames(settings) },
    projects: { problem: withoutNames(projects) },
    hasRipgrep: ripgrep !== undefined,
    hasKernelLocks,
    packages: { count: packages.count, problem: withoutNames(packages) },
    runs: {
      count: runs.count,
      interrupted: runs.interrupted,
      damaged: runs.damaged,
      problem: withoutNames(runs),
    },
  };
}

/** Removes quoted names and paths. Quoted text may contain quotes itself. */
function withoutNames({ problem }: { readonly problem?: string }): string | undefined {
  return problem?.replace(/".*"/s, '"…"');
}

/** Replaces a value that cannot be read by its error code. */
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
    // Without the names people gave their models.
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
        runsLaterPatterns: fs.runsLaterPatterns.length,
      },
      mcp: { enabled: mcp.enabled, servers: Object.keys(servers).length },
      approval,
      strictState,
      strictOutputs,
      readAhead,
      toolTimeoutMs,
    },
    context: { scope: context.scope, prefetchBytes: context.prefetchBytes },
    limits: { maxTurns, maxTokens, maxCostUsd, maxMinutes },
  };
}

function toModel(settings: ModelSettings) {
  const { provider, baseUrl, model, apiKeyEnv, contextTokens, maxOutputTokens, temperature, prices } =
    settings;
  return {
    provider,
    baseUrl: baseUrl && toAddress(baseUrl),
    // Some servers identify a model by its file path.
    model: /^(?:[/\\~.]|[A-Za-z]:[/\\])/.test(model) ? '(a path)' : model,
    hasKeyVariable: apiKeyEnv !== undefined,
    contextTokens,
    maxOutputTokens,
    temperature,
    hasPrices: prices !== undefined,
  };
}

/** The URL without credentials or query, which may contain a key. */
function toAddress(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return '(no address)';
  }
}
