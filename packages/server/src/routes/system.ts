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
import type { Redact } from '../redact.ts';
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
  // Where the store lies is told in these two, in a field of its own, and nowhere else in them.
  const telling: Router = { ...router, redact: (json) => json };
  const placeOf = (): string => belowHome(runtime.store.root);
  mount(telling, system.doctor, async () => {
    const { store, ...rest } = withRedacted(toShown(await diagnose(runtime.store)), redact);
    return { store: { place: placeOf(), ...store }, ...rest };
  });
  mount(telling, system.storage, async () => {
    const { projects, ...sizes } = withRedacted(await measureStore(runtime.store), redact);
    return { place: placeOf(), ...sizes, projects: [...projects] };
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
    store: { exists: store.exists, ...problemOf(store) },
    settings: problemOf(settings),
    projects: problemOf(projects),
    hasRipgrep: ripgrep !== undefined,
    hasKernelLocks,
    packages,
    runs,
  };
}

function withRedacted<Value>(value: Value, redact: Redact): Value {
  return JSON.parse(redact(JSON.stringify(value))) as Value;
}

/** The store is its owner's own; where it lies below their home folder, it is told without their name. */
function belowHome(path: string): string {
  const way = relative(homedir(), path);
  if (way === '') return '~';
  return way.startsWith('..') || isAbsolute(way) ? path : `~/${way.replaceAll('\\', '/')}`;
}

function problemOf({ problem }: { readonly problem?: string }): { problem?: string } {
  return problem === undefined ? {} : { problem };
}
