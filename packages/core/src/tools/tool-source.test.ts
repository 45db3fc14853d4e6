import { systemToolPolicySchema } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { describe, expect, it } from 'vitest';
import type { ExecuteOptions } from './execute-call.ts';
import { answer, createToolSource, defineTool } from './tool.ts';
import { createToolHost, type ToolHost } from './tool-host.ts';
import type { CallFact } from './tool-outcome.ts';
import { mergePolicy } from './tool-policy.ts';
import type { ToolDescription, ToolRequest, ToolSource } from './tool-source.ts';

const TICKETS: ToolDescription = {
  name: 'mcp.tickets.find',
  family: 'mcp',
  server: 'tickets',
  effect: 'external',
  isReadOnly: true,
  description: 'Finds tickets.',
  parameters: () => ({
    type: 'object',
    properties: { text: { type: 'string' }, limit: { type: 'integer', default: 10 } },
    required: ['text'],
    additionalProperties: false,
  }),
};

interface Rig {
  readonly host: ToolHost;
  readonly facts: CallFact[];
  readonly requests: ToolRequest[];
  call(args: string, name?: string, options?: Partial<ExecuteOptions>): ReturnType<ToolHost['execute']>;
}

function createRig(more: Partial<ToolDescription> = {}, run?: ToolSource['run'], policy: object = {}): Rig {
  const facts: CallFact[] = [];
  const requests: ToolRequest[] = [];
  const builtin = defineTool({
    name: 'ui.ping',
    family: 'ui',
    description: 'Built in.',
    schema: () => z.strictObject({}),
    run: async () => answer({ ok: true, from: 'builtin' }),
  });
  const remote: ToolSource = {
    list: () => [
      { ...TICKETS, ...more },
      { ...TICKETS, name: 'ui.ping', family: 'ui' },
    ],
    async run(request, context) {
      requests.push(request);
      return run ? run(request, context) : answer({ ok: true, from: 'remote' });
    },
  };
  const host = createToolHost({
    sources: [createToolSource([builtin]), remote],
    policy: mergePolicy(
      systemToolPolicySchema.parse({ mcp: { enabled: true, allowedServers: ['tickets'] }, ...policy }),
      { mcp: { enabled: true } },
    ),
    monotonicMs: () => performance.now(),
    onFact: (fact) => facts.push(fact),
    onBug: () => undefined,
  });
  const { signal } = new AbortController();
  return {
    host,
    facts,
    requests,
    call: (args, name = TICKETS.name, options = {}) =>
      host.execute({ id: 'c', name, arguments: args }, { signal, ...options }),
  };
}

describe('a tool source', () => {
  it('is found by tool name; of two tools with the same name the first wins', async () => {
    const rig = createRig();
    expect(rig.host.offered().map(({ name, wireName }) => [name, wireName])).toEqual([
      ['ui.ping', 'ui_ping'],
      ['mcp.tickets.find', 'mcp_tickets_find'],
    ]);
    expect(await rig.call('{}', 'ui_ping')).toMatchObject({ result: { from: 'builtin' } });
    expect(await rig.call('{"text":"x"}', 'mcp_tickets_find')).toMatchObject({ result: { from: 'remote' } });
    expect(rig.requests).toEqual([{ name: 'mcp.tickets.find', arguments: { text: 'x' } }]);
  });

  it.each([
    ['{"text":', 'TOOL_ARGS_INVALID_JSON'],
    ['{"text":"a","text":"b"}', 'TOOL_ARGS_INVALID'],
    ['{"limit":3}', 'TOOL_ARGS_INVALID'],
    ['{"text":"x","limit":"three"}', 'TOOL_ARGS_INVALID'],
    ['{"text":"x","more":1}', 'TOOL_ARGS_INVALID'],
  ])('is not called if the arguments do not match the schema: %s', async (args, code) => {
    const rig = createRig();
    expect(await rig.call(args)).toMatchObject({ result: { error: { code } } });
    expect(rig.requests).toEqual([]);
    expect(rig.facts).toMatchObject([{ outcome: 'failed', code, effect: { kind: 'external' } }]);
  });

  it('validates arguments itself if its schema is not supported', async () => {
    const rig = createRig({ parameters: () => ({ type: 'object', $ref: 'https://example.com/schema' }) });
    expect(await rig.call('{"anything":1}')).toMatchObject({ result: { ok: true } });
  });

  it('has the same limits of time and size, and emits the same facts', async () => {
    const flood = createRig({}, async () => answer({ ok: true, text: 'x'.repeat(1_000_000) }));
    expect(await flood.call('{"text":"x"}')).toMatchObject({ result: { truncated: true } });
    const hang = createRig({}, () => new Promise(() => undefined), { toolTimeoutMs: 20 });
    expect(await hang.call('{"text":"x"}')).toMatchObject({ result: { error: { code: 'TOOL_TIMEOUT' } } });
    const broken = createRig({}, () => Promise.reject(new Error('at /home/someone')));
    const outcome = await broken.call('{"text":"x"}');
    expect(outcome).toMatchObject({ result: { error: { code: 'E_INTERNAL' } } });
    expect(JSON.stringify(outcome)).not.toContain('/home');
    expect([...flood.facts, ...hang.facts, ...broken.facts]).toMatchObject([
      { callId: 'c', outcome: 'ok', effect: { kind: 'external' } },
      { callId: 'c', code: 'TOOL_TIMEOUT', effect: { kind: 'external' } },
      { callId: 'c', code: 'E_INTERNAL', effect: { kind: 'external' } },
    ]);
  });

  it('is called for an action outside the project only with consent to these arguments', async () => {
    const rig = createRig({ isReadOnly: false }, undefined, { approval: 'ask' });
    const asked = await rig.call('{ "text": "x" }');
    expect(asked).toEqual({
      kind: 'approval',
      name: 'mcp.tickets.find',
      action: {
        title: 'mcp.tickets.find wants to run on tickets',
        target: 'tickets',
        effect: 'external',
        preview: { kind: 'json', text: '{"text":"x"}' },
      },
    });
    const preview = '{"text":"x"}';
    if (asked.kind !== 'approval') throw new Error('it asks');
    const { action } = asked;
    const allowed = { approval: { isGranted: true, action } };
    expect(await rig.call('{"text":"y"}', undefined, allowed)).toMatchObject({ kind: 'approval' });
    const refused = { approval: { isGranted: false, action, note: 'Not now.' } };
    expect(await rig.call(preview, undefined, refused)).toMatchObject({
      result: { error: { code: 'TOOL_REFUSED', message: expect.stringContaining('Not now.') as string } },
    });
    expect(rig.requests).toEqual([]);
    expect(await rig.call(preview, undefined, allowed)).toMatchObject({ result: { ok: true } });
    const standing = {
      isGranted: (tool: string, target: string) => `${tool} ${target}` === 'mcp.tickets.find tickets',
    };
    expect(await rig.call('{"text":"y"}', undefined, standing)).toMatchObject({ result: { ok: true } });
    const unattended = createRig({ isReadOnly: false });
    expect(await unattended.call(preview)).toMatchObject({ result: { ok: true } });
  });

  it('is offered as the policy allows: servers by name, no writing tools under read-only', () => {
    const names = (rig: Rig): string[] => rig.host.offered().map(({ name }) => name);
    expect(names(createRig({ server: 'other' }))).toEqual(['ui.ping']);
    expect(names(createRig({}, undefined, { approval: 'read-only' }))).toContain(TICKETS.name);
    expect(names(createRig({ isReadOnly: false }, undefined, { approval: 'read-only' }))).toEqual([
      'ui.ping',
    ]);
  });
});
