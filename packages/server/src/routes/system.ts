/**
 * The server: version, doctor, storage, diagnostics file.
 */
import { homedir } from 'node:os';
import { isAbsolute, relative } from 'node:path';
import { type Diagnosis, diagnose, hasDesktop } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { createOpenApi } from '@crewagent/protocol/api/open-api';
import { VERSION } from '@crewagent/protocol/version';
import { writeDiagnostics } from '../diagnostics-file.ts';
import { mount, mountRaw, type Router } from '../mount.ts';
import type { Redact } from '../security/redact.ts';
import { FILE_SECURITY_POLICY } from '../security/security-headers.ts';
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
  // These two endpoints report the location of the store in a field of its own; the rest of the response is redacted.
  const unredacted: Router = { ...router, redact: (json) => json };
  const storeLocation = (): string => belowHome(runtime.store.root);
  mount(unredacted, system.doctor, async () => {
    const { store, ...rest } = withRedacted(toShown(await diagnose(runtime.store)), redact);
    return { store: { place: storeLocation(), ...store }, ...rest };
  });
  mount(unredacted, system.storage, async () => {
    return { place: storeLocation(), ...withRedacted(await runtime.store.measure(), redact) };
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
    store: { exists: store.exists, problem: store.problem },
    settings: { problem: settings.problem },
    projects: { problem: projects.problem },
    hasRipgrep: ripgrep !== undefined,
    hasKernelLocks,
    packages,
    runs,
  };
}

function withRedacted<Value>(value: Value, redact: Redact): Value {
  return JSON.parse(redact(JSON.stringify(value))) as Value;
}

/** Abbreviates the home folder, so that the user name is not shown. */
function belowHome(path: string): string {
  const relativePath = relative(homedir(), path);
  if (relativePath === '') return '~';
  return relativePath.startsWith('..') || isAbsolute(relativePath)
    ? path
    : `~/${relativePath.replaceAll('\\', '/')}`;
}
