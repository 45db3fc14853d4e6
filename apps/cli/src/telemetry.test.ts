import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { readTelemetryOptions } from '../../../packages/core/src/telemetry/read-environment.ts';
import { readBody, startHttpServer } from '../../../packages/core/src/testing/http-server.ts';
import { createCliRig } from './testing/cli-rig.ts';
import { ROOT } from './testing/running-command.ts';

interface Collected {
  readonly path: string;
  readonly type: string | undefined;
  readonly key: unknown;
  readonly body: Body;
}

/**
 * The requests of OTLP as its proto files and its JSON mapping have them, as far as they are used: names in lowerCamelCase, ids in hex,
 * enums as numbers, integers of 64 bits as texts, and no other fields.
 */
const uint64 = z.string().check(z.regex(/^\d+$/));
const anyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().check(z.regex(/^-?\d+$/)) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({
    arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }),
  }),
]);
const attributes = z.array(z.strictObject({ key: z.string().check(z.minLength(1)), value: anyValue }));
const resource = z.strictObject({ attributes });
const scope = z.strictObject({ name: z.string(), version: z.string() });
const schemaUrl = z.literal('https://opentelemetry.io/schemas/1.41.0');
const spanSchema = z.strictObject({
  traceId: z.string().check(z.regex(/^[\da-f]{32}$/)),
  spanId: z.string().check(z.regex(/^[\da-f]{16}$/)),
  parentSpanId: z.optional(z.string().check(z.regex(/^[\da-f]{16}$/))),
  name: z.string(),
  /** SPAN_KIND_INTERNAL, SPAN_KIND_CLIENT */
  kind: z.literal([1, 3]),
  startTimeUnixNano: uint64,
  endTimeUnixNano: uint64,
  attributes,
  events: z.array(z.strictObject({ name: z.string(), timeUnixNano: uint64, attributes })),
  /** STATUS_CODE_UNSET is left out, STATUS_CODE_ERROR */
  status: z.strictObject({ code: z.optional(z.literal(2)), message: z.optional(z.string()) }),
});
const times = { startTimeUnixNano: uint64, timeUnixNano: uint64, attributes };
const metricSchema = z.strictObject({
  name: z.string(),
  unit: z.string(),
  description: z.string(),
  sum: z.optional(
    z.strictObject({
      /** AGGREGATION_TEMPORALITY_CUMULATIVE */
      aggregationTemporality: z.literal(2),
      isMonotonic: z.literal(true),
      dataPoints: z.array(z.strictObject({ ...times, asDouble: z.number() })),
    }),
  ),
  histogram: z.optional(
    z.strictObject({
      aggregationTemporality: z.literal(2),
      dataPoints: z.array(
        z.strictObject({
          ...times,
          ...{ sum: z.number(), count: uint64, min: z.number(), max: z.number() },
          bucketCounts: z.array(uint64),
          explicitBounds: z.array(z.number()),
        }),
      ),
    }),
  ),
});
const bodySchema = z.union([
  z.strictObject({
    resourceSpans: z.array(
      z.strictObject({
        resource,
        scopeSpans: z.array(z.strictObject({ scope, schemaUrl, spans: z.array(spanSchema) })),
      }),
    ),
  }),
  z.strictObject({
    resourceMetrics: z.array(
      z.strictObject({
        resource,
        scopeMetrics: z.array(z.strictObject({ scope, schemaUrl, metrics: z.array(metricSchema) })),
      }),
    ),
  }),
]);
type Body = z.infer<typeof bodySchema>;

/** A collector that stores what it gets. */
async function startCollector(status = 200) {
  const collected: Collected[] = [];
  const invalid: unknown[] = [];
  const store = async (request: IncomingMessage): Promise<void> => {
    const { url: path = '', headers } = request;
    const { data: body, error } = bodySchema.safeParse(JSON.parse(String(await readBody(request))));
    if (!body) return void invalid.push(error.issues);
    collected.push({ path, type: headers['content-type'], key: headers['x-key'], body });
  };
  const { url, close } = await startHttpServer((request, response) => {
    void store(request).then(() => response.writeHead(status).end('{}'));
  });
  onTestFinished(async () => {
    await close();
    expect(invalid).toEqual([]);
  });
  const spans = () =>
    collected
      .flatMap(({ body }) => ('resourceSpans' in body ? body.resourceSpans : []))
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans));
  const metrics = () =>
    collected
      .flatMap(({ body }) => ('resourceMetrics' in body ? body.resourceMetrics : []))
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics));
  return { url, collected, spans, metrics };
}

/** Rehearses an example that calls workflows, with this environment. */
async function rehearse(env: Readonly<Record<string, string>>) {
  const rig = await createCliRig(env);
  const args = ['--project', rig.project, '--rehearsal', '--input', 'two friends', '--json'];
  const { code, out, err } = await rig.run('run', join(ROOT, 'examples/supper-plan'), ...args);
  const { runId } = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as { runId: string };
  return { code, runId, err, store: rig.store };
}

describe('telemetry', () => {
  it('[O40] is one trace of a run with its called workflows, and metrics, without a text of prompts', async () => {
    const { url, collected, spans, metrics } = await startCollector();
    const { code, runId, err } = await rehearse({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=se%20cret',
      OTEL_SERVICE_NAME: 'kitchen',
    });
    expect([code, err]).toEqual([0, '']);
    expect(new Set(collected.map(({ path }) => path))).toEqual(new Set(['/v1/traces', '/v1/metrics']));
    expect(new Set(collected.map(({ type, key }) => `${type} ${key}`))).toEqual(
      new Set(['application/json se cret']),
    );
    const all = spans();
    expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set([runId.replaceAll('-', '')]));
    const ids = new Set(all.map(({ spanId }) => spanId));
    expect(ids.size).toBe(all.length);
    for (const { name, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano } of all) {
      expect(spanId).toMatch(/^[\da-f]{16}$/);
      expect(name.startsWith('invoke_workflow') || ids.has(parentSpanId ?? ''), name).toBe(true);
      expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
    }
    const kinds = all.map(({ name }) => name.split(' ')[0]);
    for (const kind of ['invoke_workflow', 'node', 'turn', 'chat', 'execute_tool'])
      expect(kinds).toContain(kind);
    expect(kinds.filter((kind) => kind === 'invoke_workflow').length).toBeGreaterThan(1);
    const chat = all.find(({ name }) => name === 'chat rehearsal');
    expect(chat?.attributes).toContainEqual({ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } });
    const tokens = metrics().find(({ name }) => name === 'gen_ai.client.token.usage');
    for (const { count, bucketCounts, explicitBounds } of tokens?.histogram?.dataPoints ?? []) {
      expect(bucketCounts).toHaveLength(explicitBounds.length + 1);
      expect(bucketCounts.reduce((sum, one) => sum + Number(one), 0)).toBe(Number(count));
    }
    expect(metrics().map(({ name }) => name)).toContain('crewagent.tool.calls');
    const text = JSON.stringify(collected.map(({ body }) => body));
    expect(text).toContain('kitchen');
    expect(text).not.toContain('gen_ai.output.messages');
    expect(text).not.toContain('RUN_DIRECTIVE');
  });

  it('contains replies where that is asked for', async () => {
    const { url, spans } = await startCollector();
    await rehearse({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    });
    const found = spans()
      .flatMap((span) => span.attributes)
      .find(({ key }) => key === 'gen_ai.output.messages');
    const text = found && 'stringValue' in found.value ? found.value.stringValue : '';
    expect(JSON.parse(text)).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'text', content: expect.any(String) as unknown }],
        finish_reason: expect.any(String) as unknown,
      },
    ]);
  });

  it('names providers and addresses as the conventions do, failed requests included', async () => {
    const { url, spans, metrics } = await startCollector();
    const model = await startHttpServer((_, response) => void response.writeHead(401).end('{}'));
    onTestFinished(model.close);
    const rig = await createCliRig({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      CREWAGENT_API_KEY: 'sk-x',
    });
    await rig.run(
      'config',
      'add-model',
      'm',
      '--provider',
      'mistral',
      '--base-url',
      model.url,
      '--model',
      'x-1',
    );
    const args = ['--project', rig.project, '--model', 'm', '--input', 'two', '--json'];
    await rig.run('run', join(ROOT, 'examples/supper-plan'), ...args);
    const chat = spans().find(({ name }) => name === 'chat x-1');
    expect(chat).toMatchObject({ kind: 3, status: { code: 2 } });
    const about = [
      { key: 'gen_ai.provider.name', value: { stringValue: 'mistral_ai' } },
      { key: 'server.address', value: { stringValue: '127.0.0.1' } },
      { key: 'server.port', value: { intValue: new URL(model.url).port } },
      { key: 'error.type', value: { stringValue: expect.stringMatching(/^LLM_/) as unknown } },
    ];
    expect(chat?.attributes).toEqual(expect.arrayContaining(about));
    const duration = metrics().find(({ name }) => name === 'gen_ai.client.operation.duration');
    expect(duration?.histogram?.dataPoints[0]?.attributes).toEqual(expect.arrayContaining(about));
  });

  it('the name of the service may come from the attributes of the resource', () => {
    const named = (env: Record<string, string>) => readTelemetryOptions(env, '1').resource['service.name'];
    expect(named({})).toBe('crewagent');
    expect(named({ OTEL_RESOURCE_ATTRIBUTES: 'service.name=a' })).toBe('a');
    expect(named({ OTEL_RESOURCE_ATTRIBUTES: 'service.name=a', OTEL_SERVICE_NAME: 'b' })).toBe('b');
  });

  it.each<[string, (url: string) => Record<string, string>, number, RegExp | undefined]>([
    ['a collector that refuses', (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url }), 503, /answered 503/],
    [
      'nobody there',
      () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }),
      200,
      /could not be exported/,
    ],
    ['no address', () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }), 200, /no http address/],
    [
      'another protocol',
      (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }),
      200,
      /gRPC is not supported/,
    ],
    [
      'being switched off',
      (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: 'true' }),
      200,
      undefined,
    ],
  ])('does not disturb a run: %s', async (_, envOf, status, warning) => {
    const { url, collected } = await startCollector(status);
    const { code, err } = await rehearse(envOf(url));
    expect(code).toBe(0);
    const warnings = err.split('\n').filter((line) => line.startsWith('!'));
    expect(warnings).toHaveLength(warning ? 1 : 0);
    if (warning) expect(warnings[0]).toMatch(warning);
    if (!warning || status === 200) expect(collected).toEqual([]);
  });
});
