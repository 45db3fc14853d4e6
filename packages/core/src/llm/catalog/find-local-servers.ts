/**
 * Finds model servers on this machine by probing their default ports, on the loopback address only. Ports without
 * such a server are ignored.
 */
import type { LocalServer } from '@crewagent/protocol/api/settings';
import type { Provider } from '@crewagent/protocol/model';
import { listModels } from './list-models.ts';

interface KnownPort {
  readonly provider: Provider;
  readonly port: number;
}

export const LOCAL_PORTS: readonly KnownPort[] = [
  { provider: 'ollama', port: 11434 },
  { provider: 'lmstudio', port: 1234 },
  { provider: 'llamacpp', port: 8080 },
  { provider: 'vllm', port: 8000 },
];

/** A running local server answers within a few milliseconds. */
const PROBE_MS = 800;

export async function findLocalServers(
  signal?: AbortSignal,
  ports: readonly KnownPort[] = LOCAL_PORTS,
): Promise<LocalServer[]> {
  const found = await Promise.all(
    ports.map(async ({ provider, port }): Promise<LocalServer[]> => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const list = await listModels({
        address: { provider, baseUrl },
        apiKey: undefined,
        timeoutMs: PROBE_MS,
        signal,
      });
      return list.ok ? [{ provider, baseUrl, models: [...list.models] }] : [];
    }),
  );
  return found.flat();
}
