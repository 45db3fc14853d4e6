import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readBody, startHttpServer } from '../../../packages/core/src/testing/http-server.ts';
import { createCliRig } from './testing/cli-rig.ts';
import { ROOT } from './testing/running-command.ts';

interface Collected {
  readonly path: string;
  readonly type: string | undefined;
  readonly key: unknown;
  readonly body: Body;
}

interface Body {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
  readonly resourceMetrics?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[];
  }[];
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events: readonly { readonly name: string }[];
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Metric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly { readonly asDouble: number }[] };
  readonly histogram?: {
    readonly dataPoints: readonly {
      readonly count: string;
      readonly bucketCounts: readonly string[];
      readonly explicitBounds: readonly number[];
    }[];
  };
}

/** A collector that stores what it gets. */
async function startCollector(status = 200) {
  const collected: Collected[] = [];
  const store = async (request: IncomingMessage): Promise<void> => {
    const { url: path = '', headers } = request;
    const body = JSON.parse(String(await readBody(request))) as Body;
    collected.push({ path, type: headers['content-type'], key: headers['x-key'], body });
  };
  const { url, close } = await startHttpServer((request, response) => {
    void store(request).then(() => response.writeHead(status).end('{}'));
  });
  onTestFinished(close);
  const spans = () =>
    collected.flatMap(
      ({ body }) => body.resourceSpans?.flatMap(({ scopeSpans }) => scopeSpans.flatMap((s) => s.spans)) ?? [],
    );
  const metrics = () =>
    collected.flatMap(
      ({ body }) =>
        body.resourceMetrics?.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((s) => s.metrics)) ?? [],
    );
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
    const keys = spans().flatMap(({ attributes }) => attributes.map(({ key }) => key));
    expect(keys).toContain('gen_ai.output.messages');
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
