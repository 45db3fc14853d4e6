/** Shapes of OTLP over HTTP in JSON, as far as they are used, and how values become them. */

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  readonly kind: 'internal' | 'client';
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** A code, if it failed. */
  readonly error?: string | undefined;
}

export interface SpanEvent {
  readonly name: string;
  readonly timeMs: number;
  readonly attributes: Attributes;
}

export interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly points: readonly Point[];
  /** Upper bounds of the buckets of a histogram; a sum without. */
  readonly bounds?: readonly number[] | undefined;
}

export interface Point {
  readonly attributes: Attributes;
  readonly sum: number;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  /** Of a histogram. */
  readonly buckets: readonly number[];
}

interface Scope {
  readonly resource: Readonly<Record<string, string>>;
  readonly version: string;
}

export function toTracesBody(spans: readonly Span[], scope: Scope): object {
  const shown = spans.map((span) => ({
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: span.kind === 'client' ? 3 : 1,
    startTimeUnixNano: toNano(span.startMs),
    endTimeUnixNano: toNano(Math.max(span.endMs, span.startMs)),
    attributes: toAttributes(span.attributes),
    events: span.events.map(({ name, timeMs, attributes }) => ({
      name,
      timeUnixNano: toNano(timeMs),
      attributes: toAttributes(attributes),
    })),
    status: span.error === undefined ? {} : { code: 2, message: span.error },
  }));
  return { resourceSpans: [{ ...toResource(scope), scopeSpans: [{ ...toScope(scope), spans: shown }] }] };
}

export function toMetricsBody(
  metrics: readonly Metric[],
  { startMs, nowMs, ...scope }: Scope & { readonly startMs: number; readonly nowMs: number },
): object {
  const times = { startTimeUnixNano: toNano(startMs), timeUnixNano: toNano(nowMs) };
  const shown = metrics.map(({ name, unit, description, points, bounds }) => {
    const cumulative = { aggregationTemporality: 2 };
    const head = { name, unit, description };
    if (!bounds)
      return {
        ...head,
        sum: {
          ...cumulative,
          isMonotonic: true,
          dataPoints: points.map(({ attributes, sum }) => ({
            ...times,
            attributes: toAttributes(attributes),
            asDouble: sum,
          })),
        },
      };
    return {
      ...head,
      histogram: {
        ...cumulative,
        dataPoints: points.map(({ attributes, sum, count, min, max, buckets }) => ({
          ...times,
          attributes: toAttributes(attributes),
          ...{ sum, count: String(count), min, max },
          bucketCounts: buckets.map(String),
          explicitBounds: bounds,
        })),
      },
    };
  });
  return {
    resourceMetrics: [{ ...toResource(scope), scopeMetrics: [{ ...toScope(scope), metrics: shown }] }],
  };
}

/** Those whose names are used: the last that were published with those for generative AI. */
const CONVENTIONS = 'https://opentelemetry.io/schemas/1.41.0';

function toResource({ resource }: Scope): object {
  return { resource: { attributes: toAttributes(resource) } };
}

function toScope({ version }: Scope): object {
  return { scope: { name: 'crewagent', version }, schemaUrl: CONVENTIONS };
}

/** Integers of 64 bits are texts in the JSON of protobuf. */
function toNano(ms: number): string {
  return `${BigInt(Math.round(ms * 1_000)) * 1_000n}`;
}

function toAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  );
}

function toValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((item) => ({ stringValue: item })) } };
}
