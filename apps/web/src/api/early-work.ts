/**
 * The Work of the next screen, requested before the screen is rendered: the server reads the log meanwhile. One at a time, for the
 * first request of `followWork`.
 */
import type { ApiClient } from '@crewagent/protocol/api/client';

type ShowResponse = ReturnType<ApiClient['works']['show']>;

interface EarlyRequest {
  readonly client: ApiClient;
  readonly workId: string;
  readonly controller: AbortController;
  readonly response: ShowResponse;
}

let early: EarlyRequest | undefined;

export function requestEarly(client: ApiClient, workId: string): void {
  early?.controller.abort();
  const controller = new AbortController();
  const response = client.works.show({ workId }, { signal: controller.signal });
  // The screen reports it, if there is one.
  response.catch(() => undefined);
  early = { client, workId, controller, response };
}

/** Takes the early response if this Work was requested, else requests it. */
export function showWork(client: ApiClient, workId: string, signal: AbortSignal): ShowResponse {
  const taken = early?.client === client && early.workId === workId ? early : undefined;
  if (!taken) return client.works.show({ workId }, { signal });
  early = undefined;
  signal.addEventListener('abort', () => taken.controller.abort(), { once: true });
  return taken.response;
}
