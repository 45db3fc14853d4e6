/**
 * Starts the worker that all windows share. The page's security policy demands Trusted Types, so the address of the worker
 * comes from the one policy the page may have; that policy knows no other address.
 */
import workerUrl from './streams-worker.ts?sharedworker&url';

/** As far as it is used; TypeScript's library does not describe Trusted Types. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(): string },
  ): { createScriptURL(given: string): string };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
// Once, when the page loads: from then on nobody can create a policy of this name.
const policy = trustedTypes?.createPolicy('crewagent-worker', { createScriptURL: () => workerUrl });

export function startStreamsWorker(): SharedWorker {
  return new SharedWorker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
}
