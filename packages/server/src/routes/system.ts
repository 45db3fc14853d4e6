/**
 * The server itself: what runs here, and whether the machine is fit.
 */
import { homedir } from 'node:os';
import { isAbsolute, relative } from 'node:path';
import { type Diagnosis, diagnose, hasDesktop, measureStore } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { createOpenApi } from '@crewagent/protocol/api/open-api';
import { VERSION } from '@crewagent/protocol/version';
import { writeDiagnostics } from '../diagnostics-file.ts';
import { mount, mountRaw, type Router } from '../mount.ts';
import { FILE_SECURITY_POLICY } from '../security-headers.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountSystem(router: Router, parts: ServerParts): void {
  const { runtime, startedAt, redact } = parts;
  const { system } = ENDPOINTS;
  let document: Record<string, unknown> | undefined;
  mount(router, system.show, () =>
    Promise.resolve({
      name: 'crewagent' as const,
      version: VERSION,
      node: process.version,
      platform: process.platform,
      startedAt,
      canReveal: hasDesktop(),
    }),
  );
  mount(router, system.doctor, async () => toShown(await diagnose(runtime.store)));
  mount(router, system.storage, async () => {
    const { projects, ...sizes } = await measureStore(runtime.store);
    return { place: belowHome(runtime.store.root), ...sizes, projects: [...projects] };
  });
  mountRaw(
    router,
    system.diagnostics,
    async () =>
      new Response(redact(await writeDiagnostics(parts)), {
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-disposition': 'attachment; filename="crewagent-diagnostics.json"',
          'content-security-policy': FILE_SECURITY_POLICY,
        },
      }),
  );
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
  const way = relative(homedir(), path);
  if (way === '') return '~';
  return way.startsWith('..') || isAbsolute(way) ? '(elsewhere)' : `~/${way.replaceAll('\\', '/')}`;
}

function problemOf({ problem }: { readonly problem?: string }): { problem?: string } {
  return problem === undefined ? {} : { problem };
}
