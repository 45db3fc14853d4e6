/**
 * The server itself: what runs here, and whether the machine is fit.
 */
import { homedir } from 'node:os';
import { type Diagnosis, diagnose } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { createOpenApi } from '@crewagent/protocol/api/open-api';
import { VERSION } from '@crewagent/protocol/version';
import { mount, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountSystem(router: Router, { runtime, startedAt }: ServerParts): void {
  const { system } = ENDPOINTS;
  let document: Record<string, unknown> | undefined;
  mount(router, system.show, () =>
    Promise.resolve({
      name: 'crewagent' as const,
      version: VERSION,
      node: process.version,
      platform: process.platform,
      startedAt,
    }),
  );
  mount(router, system.doctor, async () => toShown(await diagnose(runtime.store)));
  mount(router, system.openApi, () => {
    document ??= createOpenApi();
    return Promise.resolve(document);
  });
}

function toShown({ store, settings, projects, ripgrep, hasKernelLocks, packages, runs }: Diagnosis) {
  const parts = [store, settings, projects, packages, runs];
  return {
    ok: parts.every(({ problem }) => problem === undefined),
    store: { place: belowHome(store.root), exists: store.exists, ...problemOf(store) },
    settings: problemOf(settings),
    projects: problemOf(projects),
    hasRipgrep: ripgrep !== undefined,
    hasKernelLocks,
    packages,
    runs,
  };
}

function belowHome(path: string): string {
  const home = homedir();
  return path.startsWith(home) ? `~${path.slice(home.length)}` : '(elsewhere)';
}

function problemOf({ problem }: { readonly problem?: string }): { problem?: string } {
  return problem === undefined ? {} : { problem };
}
