/**
 * Starts the SharedWorker. The page's security policy requires Trusted Types, so the worker URL comes from the only policy that
 * the page may create; that policy returns no other URL.
 */
import workerUrl from './streams-worker.ts?sharedworker&url';

/** The part that is used; TypeScript's library has no Trusted Types. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(): string },
  ): { createScriptURL(given: string): string };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
// Created once on load: afterwards no other script can create a policy with this name.
const policy = trustedTypes?.createPolicy('crewagent-worker', { createScriptURL: () => workerUrl });

export function startStreamsWorker(): SharedWorker {
  return new SharedWorker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
}
