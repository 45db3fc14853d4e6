/**
 * Exports what happens in Works as traces and metrics, OTLP over HTTP in JSON. It never delays a run and never fails one: a collector that
 * does not answer costs the oldest spans, and one warning.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import { VERSION } from '@crewagent/protocol/version';
import { type FollowedWork, followWork } from './follow-work.ts';
import { createMeters } from './meters.ts';
import { type Span, toMetricsBody, toTracesBody } from './otlp.ts';
import { type OtlpTarget, readTelemetryOptions } from './read-environment.ts';

export function openTelemetry(
  env: Readonly<Record<string, string | undefined>>,
  onWarning: (message: string) => void,
) {
  const options = readTelemetryOptions(env, VERSION);
  for (const warning of options.warnings) onWarning(warning);
  const { traces, metrics, resource, maxQueuedSpans } = options;
  const scope = { resource, version: VERSION };
  const meters = createMeters();
  const startMs = Date.now();
  let queued: Span[] = [];
  let sending: Promise<void> = Promise.resolve();
  let hasWarned = false;
  let timer: NodeJS.Timeout | undefined;

  const send = async (target: OtlpTarget, body: object): Promise<void> => {
    try {
      await post(target, body);
    } catch (error) {
      if (hasWarned) return;
      hasWarned = true;
      onWarning(
        `Telemetry could not be exported to ${new URL(target.url).origin}: ${describe(error)}. Runs are not affected.`,
      );
    }
  };
  const flushSpans = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const spans = queued;
    queued = [];
    if (traces && spans.length > 0) sending = sending.then(() => send(traces, toTracesBody(spans, scope)));
    return sending;
  };
  const flushMetrics = async (): Promise<void> => {
    const found = meters.read();
    if (metrics && found.length > 0)
      await send(metrics, toMetricsBody(found, { ...scope, startMs, nowMs: Date.now() }));
  };
  if (metrics) setInterval(() => void flushMetrics(), options.metricIntervalMs).unref();
  const onSpan = (span: Span): void => {
    if (!traces) return;
    queued.push(span);
    if (queued.length > maxQueuedSpans) queued.shift();
    timer ??= setTimeout(() => void flushSpans(), options.spanDelayMs).unref();
  };
  let followed = 0;
  return {
    follow(work: FollowedWork): { observe(event: RunEvent): void; close(): Promise<void> } {
      followed++;
      const observe = followWork(work, { meters, includesContent: options.includesContent, onSpan });
      return {
        observe,
        /** Exports what is left, and metrics with the last Work; waits two seconds at most. */
        async close() {
          followed--;
          await atMost(CLOSE_MS, [flushSpans(), followed === 0 ? flushMetrics() : undefined]);
        },
      };
    },
  };
}

const CLOSE_MS = 2_000;

async function atMost(ms: number, tasks: readonly unknown[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.all(tasks), late]);
  clearTimeout(timer);
}

async function post({ url, headers, timeoutMs }: OtlpTarget, body: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    // Headers may have a key, which belongs to this address.
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the collector answered ${response.status}`);
}

function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
