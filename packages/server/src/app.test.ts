import { ApiError } from '@crewagent/protocol/api/client';
import { API_ROOT } from '@crewagent/protocol/api/define-endpoint';
import { ENDPOINTS, listEndpoints } from '@crewagent/protocol/api/endpoints';
import { createOpenApi } from '@crewagent/protocol/api/open-api';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createServerRig, ORIGIN } from './testing/server-rig.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema?: object }> };
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema?: object }> }>;
}

describe('the table of endpoints', () => {
  it('[H20] matches the mounted routes exactly', async () => {
    const { app } = await createServerRig();
    const served = app.routes
      .filter(({ method, path }) => method !== 'ALL' && path.startsWith(API_ROOT))
      .map(({ method, path }) => `${method} ${path}`);
    const wanted = listEndpoints().map(({ endpoint }) => `${endpoint.method} ${API_ROOT}${endpoint.path}`);
    expect(served.sort()).toEqual(wanted.sort());
    expect(new Set(wanted).size).toBe(wanted.length);
  });

  it('[H20] matches the OpenAPI document', async () => {
    const { client } = await createServerRig();
    const document = await client.system.openApi();
    expect(document).toEqual(JSON.parse(JSON.stringify(createOpenApi())));
    const paths = document.paths as Record<string, Record<string, Operation>>;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      listEndpoints()
        .map(({ name }) => name)
        .sort(),
    );
    for (const [path, methods] of Object.entries(paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters = [] } of Object.values(methods)) {
        expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(
          named,
        );
      }
    }
  });

  it('[H20] has schemas that another validator accepts', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const paths = createOpenApi().paths as Record<string, Record<string, Operation>>;
    for (const { parameters = [], requestBody, responses } of Object.values(paths).flatMap((methods) =>
      Object.values(methods),
    )) {
      const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)];
      const schemas = [
        ...parameters.map(({ schema }) => schema),
        ...contents.flatMap((content) => Object.values(content ?? {}).map(({ schema }) => schema)),
      ];
      for (const schema of schemas) if (schema && !('$ref' in schema)) ajv.compile(schema);
    }
  });

  it('[O50] has a token, a success and an error for each operation of its document', () => {
    const { openapi, security, servers, paths, components } = createOpenApi() as {
      readonly openapi: string;
      readonly security: readonly Record<string, unknown>[];
      readonly servers: readonly { readonly url: string }[];
      readonly paths: Record<string, Record<string, Operation>>;
      readonly components: Record<string, Record<string, unknown>>;
    };
    expect([openapi, servers]).toEqual(['3.1.0', [{ url: API_ROOT }]]);
    expect(security.flatMap(Object.keys)).toEqual(Object.keys(components.securitySchemes ?? {}));
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { operationId, responses } of operations) {
      const [success, ...others] = Object.keys(responses);
      expect([operationId, success, others]).toEqual([
        operationId,
        expect.stringMatching(/^20\d$/),
        ['default'],
      ]);
      for (const response of Object.values(responses))
        expect(response).toMatchObject({ description: expect.stringMatching(/\.$/) as string });
    }
    const text = JSON.stringify({ paths, components });
    const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBe(operations.length);
    for (const [, group = '', name = ''] of references) expect(components[group]).toHaveProperty(name);
    expect(text.match(/"\$ref":"#\/(?!components)/g)).toBeNull();
  });

  it('[H20] answers an unknown endpoint with one sentence', async () => {
    const { call } = await createServerRig();
    const response = await call('/api/v1/nothing');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect((await call('/api/v2/works')).status).toBe(404);
    expect((await call(`${API_ROOT}${ENDPOINTS.works.list.path}`, { method: 'DELETE' })).status).toBe(404);
  });
});

describe('invalid input', () => {
  const ID = '01a1de7a-846b-7205-b1df-136fc8f565ee';
  const CASES: [string, string, string, unknown, string, string][] = [
    ['an id', 'GET', '/works/last', undefined, 'path', 'workId'],
    ['an id in the query', 'GET', '/works?project=..', undefined, 'query', 'project'],
    ['a phase', 'GET', '/works?phase=running', undefined, 'query', 'phase'],
    ['a query that is unknown', 'GET', '/works?token=x', undefined, 'query', ''],
    ['a field that is missing', 'POST', '/projects', {}, 'body', 'path'],
    ['a field that is unknown', 'POST', '/projects', { path: '/x', admin: true }, 'body', ''],
    ['a path with NUL', 'POST', '/projects', { path: '/x\0' }, 'body', 'path'],
    ['a hash', 'GET', '/packages/abc', undefined, 'path', 'hash'],
    ['a name', 'PUT', '/models/%20', { settings: { model: 'm' } }, 'path', 'name'],
    ['a decision', 'POST', `/works/${ID}/approve`, { callId: 'c', decision: 'maybe' }, 'body', 'decision'],
    [
      'an address with a user name',
      'PUT',
      '/models/m',
      { settings: { model: 'm', baseUrl: 'http://a:b@c' } },
      'body',
      'settings.baseUrl',
    ],
  ];

  it.each(CASES)('[H20] is rejected with the field: %s', async (_, method, path, body, place, field) => {
    const { call } = await createServerRig();
    const response = await call(`${API_ROOT}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { details: { fields: { path: string }[] } } };
    expect(error).toMatchObject({ code: 'USAGE', details: { place } });
    expect(error.details.fields.map((one) => one.path)).toContain(field);
  });
});

describe('errors', () => {
  it('[H7] have a code, a message and a status', async () => {
    const { client } = await createServerRig();
    const workId = '01a1de7a-846b-7205-b1df-136fc8f565ee';
    const error = await client.works.show({ workId }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: 'WORK_NOT_FOUND',
      status: 404,
      message: expect.stringContaining('no run or conversation with this id') as string,
    });
  });

  it('[H7] that are bugs are reported as an id only', async () => {
    const rig = await createServerRig();
    rig.app.post('/broken', () => {
      throw new Error('secret text');
    });
    const response = await rig.app.request(`${ORIGIN}/broken`, {
      method: 'POST',
      headers: { host: '127.0.0.1:4000' },
    });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toContain('secret');
    expect(JSON.parse(text)).toMatchObject({
      error: { code: 'INTERNAL', details: { id: expect.stringMatching(/^[0-9a-f]{8}$/) as string } },
    });
    expect(rig.bugs).toHaveLength(1);
  });
});
