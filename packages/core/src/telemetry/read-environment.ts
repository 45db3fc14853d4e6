/** The usual environment variables of OpenTelemetry. */
import { BASE, type Environment } from './is-telemetry-on.ts';

export interface TelemetryOptions {
  /** Where spans go; undefined if they go nowhere. */
  readonly traces?: OtlpTarget | undefined;
  readonly metrics?: OtlpTarget | undefined;
  readonly resource: Readonly<Record<string, string>>;
  /** Texts of prompts and replies are part of spans only if somebody asks for them. */
  readonly includesContent: boolean;
  readonly spanDelayMs: number;
  readonly metricIntervalMs: number;
  readonly maxQueuedSpans: number;
  /** What cannot be done as the environment says, a sentence each. */
  readonly warnings: readonly string[];
}

export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export function readTelemetryOptions(env: Environment, version: string): TelemetryOptions {
  const warnings: string[] = [];
  const named = (signal: string, name: string): string =>
    (env[`OTEL_EXPORTER_OTLP_${signal}_${name}`] ?? env[`OTEL_EXPORTER_OTLP_${name}`] ?? '').trim();
  const toTarget = (signal: 'TRACES' | 'METRICS', path: string): OtlpTarget | undefined => {
    if (env[`OTEL_${signal}_EXPORTER`]?.trim() === 'none') return undefined;
    const own = (env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] ?? '').trim();
    const base = (env[BASE] ?? '').trim();
    if (own === '' && base === '') return undefined;
    const url = own === '' ? `${base.replace(/\/+$/, '')}${path}` : own;
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
      warnings.push(`Telemetry is not exported: "${own || base}" is no http address. Check ${BASE}.`);
      return undefined;
    }
    const protocol = named(signal, 'PROTOCOL');
    if (protocol === 'grpc') {
      warnings.push(
        'Telemetry is not exported: OTLP over gRPC is not supported. Use the HTTP port of the collector.',
      );
      return undefined;
    }
    const timeoutMs = toNumber(named(signal, 'TIMEOUT'), 10_000);
    return { url, headers: toPairs(named(signal, 'HEADERS')), timeoutMs };
  };
  return {
    traces: toTarget('TRACES', '/v1/traces'),
    metrics: toTarget('METRICS', '/v1/metrics'),
    resource: {
      'service.name': 'crewagent',
      'service.version': version,
      ...toPairs(env.OTEL_RESOURCE_ATTRIBUTES ?? ''),
      ...(env.OTEL_SERVICE_NAME?.trim() ? { 'service.name': env.OTEL_SERVICE_NAME.trim() } : {}),
    },
    includesContent: env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.trim().toLowerCase() === 'true',
    spanDelayMs: toNumber(env.OTEL_BSP_SCHEDULE_DELAY, 5_000),
    metricIntervalMs: toNumber(env.OTEL_METRIC_EXPORT_INTERVAL, 60_000),
    maxQueuedSpans: toNumber(env.OTEL_BSP_MAX_QUEUE_SIZE, 2_048),
    warnings: [...new Set(warnings)],
  };
}

function toNumber(text: string | undefined, usual: number): number {
  const value = Number(text);
  return text !== undefined && /^\d+$/.test(text.trim()) && value > 0 ? value : usual;
}

/** `a=1,b=%20x`, as in a baggage header. */
function toPairs(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', decode(pair[2] ?? '')]] : [])));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
