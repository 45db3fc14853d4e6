/**
 * The OpenAPI 3.1 document of the API, generated from the table of endpoints. Pure.
 */
import { ERRORS } from '../errors.ts';
import { VERSION } from '../version.ts';
import * as z from '../zod.ts';
import { API_ROOT, type Endpoint, statusOf } from './define-endpoint.ts';
import { listEndpoints } from './endpoints.ts';
import { errorBodySchema } from './error-body.ts';

export function createOpenApi(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { name, endpoint } of listEndpoints()) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: toOperation(name, endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'CrewAgent',
      version: VERSION,
      description:
        'The API of the local server. Every request needs the token; a request that changes something also needs an Origin.',
    },
    servers: [{ url: API_ROOT }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Error: toSchema(errorBodySchema, 'output'),
        ErrorCode: { type: 'string', enum: [...Object.keys(ERRORS), 'INTERNAL'] },
      },
    },
  };
}

function toOperation(name: string, endpoint: Endpoint): Record<string, unknown> {
  const [group] = name.split('.');
  const parameters = [...toParameters('path', endpoint.params), ...toParameters('query', endpoint.query)];
  return {
    operationId: name,
    tags: [group],
    summary: endpoint.summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...toRequestBody(endpoint),
    responses: {
      [statusOf(endpoint)]: toResponse(endpoint),
      default: { description: 'The error.', ...toJson({ $ref: '#/components/schemas/Error' }) },
    },
  };
}

function toParameters(
  location: 'path' | 'query',
  schema: z.ZodMiniObject | undefined,
): Record<string, unknown>[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: location,
    required: location === 'path' || !(field as z.ZodMiniType).safeParse(undefined).success,
    schema: toSchema(field as z.ZodMiniType, 'input'),
  }));
}

function toRequestBody({ body, acceptsBytes }: Endpoint): Record<string, unknown> {
  if (acceptsBytes) return { requestBody: { required: true, content: { 'application/octet-stream': {} } } };
  if (!body) return {};
  return { requestBody: { required: true, ...toJson(toSchema(body, 'input')) } };
}

function toResponse({ response, message, returnsFile }: Endpoint): Record<string, unknown> {
  if (message) {
    const description =
      'Server-sent events. `type` is the name of the event (`event` if it has none), `data` is its data.';
    return { description, content: { 'text/event-stream': { schema: toSchema(message, 'output') } } };
  }
  if (returnsFile) return { description: 'The file.', content: { '*/*': {} } };
  if (!response) return { description: 'Done.' };
  return { description: 'Done.', ...toJson(toSchema(response, 'output')) };
}

function toJson(schema: Record<string, unknown>): Record<string, unknown> {
  return { content: { 'application/json': { schema } } };
}

function toSchema(schema: z.ZodMiniType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
