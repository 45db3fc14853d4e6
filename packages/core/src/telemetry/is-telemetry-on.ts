/** Nothing is exported, and no other code of telemetry is loaded, unless an environment variable names an endpoint. */

export type Environment = Readonly<Record<string, string | undefined>>;

export function isTelemetryOn(env: Environment): boolean {
  return (
    env.OTEL_SDK_DISABLED?.trim().toLowerCase() !== 'true' &&
    ENDPOINTS.some((name) => (env[name] ?? '').trim() !== '')
  );
}

export const BASE = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const ENDPOINTS = [BASE, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'];
