import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aboutSchema } from './about.ts';
import { agentsDocumentSchema } from './agents.ts';
import { bmadManifestSchema } from './bmad.ts';
import { toJsonSchemas } from './json-schemas.ts';
import { settingsSchema } from './settings.ts';
import { stepFrontmatterSchema, workflowFrontmatterSchema, workflowGraphSchema } from './workflow.ts';
import type * as z from './zod.ts';

const published = new URL('../../../spec/bmad/v1.1/', import.meta.url);

const AGENT = {
  id: 'a',
  metadata: { name: 'n', title: 't', icon: 'i', module: 'm' },
  persona: { role: 'r', identity: 'i', communication_style: 'c', principles: ['p', 'q'] },
};

const MANIFEST = {
  $schema: 'urn:crewagent:bmad:1.1:bmad',
  schemaVersion: '1.1.3',
  name: 'n',
  version: '1.0.0-beta.1+b5',
  createdAt: '2026-01-31T10:00:00+08:00',
  entry: { workflow: 'w', graph: 'g', agents: 'a', assetsDir: 'x/' },
  workflows: [{ id: 'a:b', workflow: 'w', graph: 'g', displayName: 'D', tags: ['t'] }],
  runtime: { minRuntimeVersion: '1', requiresNetwork: true },
  integrity: { sha256: 'a'.repeat(64) },
};

const KINDS: [name: string, schema: z.ZodMiniType, valid: Record<string, unknown>][] = [
  ['bmad.schema.json', bmadManifestSchema, MANIFEST],
  [
    'about.schema.json',
    aboutSchema,
    {
      title: 't',
      license: 'MIT',
      homepage: 'https://example.org',
      keywords: ['k'],
      icon: 'assets/i.png',
      authors: [{ name: 'n', email: 'a@b', url: 'https://example.org' }],
      engines: { crewagent: '>=0.1' },
    },
  ],
  [
    'agents.schema.json',
    agentsDocumentSchema,
    {
      schemaVersion: '1.1',
      agents: [
        {
          ...AGENT,
          critical_actions: ['x'],
          prompts: [{ id: 'any id', content: 'c' }],
          menu: [
            { description: 'd', cmd: '*x', triggers: [{ type: 'alias', match: 'm' }], 'ide-only': true },
          ],
          discussion: true,
          conversational_knowledge: [{ any: 'thing' }],
          tools: { fs: { enabled: false, maxReadBytes: 1 }, mcp: { allowedServers: ['s'] } },
        },
      ],
    },
  ],
  [
    'workflow-graph.schema.json',
    workflowGraphSchema,
    {
      schemaVersion: '1.1',
      entryNodeId: 'a',
      nodes: [{ id: 'a', type: 'decision', file: 'f', agentId: '', inputs: ['i'], outputs: [] }],
      edges: [{ from: 'a', to: 'a', label: 'l', id: '', isDefault: true, conditionExpr: { '==': [1, 2] } }],
      metadata: { x: { y: [] } },
    },
  ],
  [
    'workflow-frontmatter.schema.json',
    workflowFrontmatterSchema,
    {
      schemaVersion: '1.1',
      workflowType: 't',
      currentNodeId: '',
      stepsCompleted: ['a'],
      updatedAt: '2026-01-31T10:00:00.123Z',
      variables: { a: 1 },
      decisionLog: [{ from: '', to: 'b', label: 'c', reason: 'r', decidedAt: '2026-01-31T10:00:00Z' }],
      artifacts: ['a'],
      callStack: [{ workflow: 'w', nodeId: 'n' }],
      anything: { else: true },
    },
  ],
  [
    'step-frontmatter.schema.json',
    stepFrontmatterSchema,
    {
      schemaVersion: '1.1',
      nodeId: 'a',
      type: 'end',
      title: '',
      inputs: ['i'],
      transitions: [{ to: '', label: '', isDefault: false }],
      subworkflow: 'w',
      passContext: true,
      anything: 1,
    },
  ],
];

describe('the published JSON Schemas', () => {
  it.each<[unknown, boolean]>([
    [1, true],
    [2 ** 53 - 1, true],
    [2 ** 53, true],
    [1e300, true],
    [0, false],
    [1.5, false],
    [-(2 ** 60), false],
    ['1', false],
    [Number.POSITIVE_INFINITY, false],
  ])('[B1] and the runtime accept any integer from 1 as a limit: %j', (limit, isAccepted) => {
    const tools = { fs: { maxReadBytes: limit, maxWriteBytes: limit } };
    const document = { schemaVersion: '1.1', agents: [{ ...AGENT, tools }] };
    expect(agentsDocumentSchema.safeParse(document).success).toBe(isAccepted);
    expect(validatorOf('agents.schema.json')(document)).toBe(isAccepted);
    expect(settingsSchema.safeParse({ tools, limits: { maxTurns: limit, maxTokens: limit } }).success).toBe(
      isAccepted,
    );
  });

  it.each([
    ['2026-01-01T00:00:00+02:00', true],
    ['2016-12-31T23:59:60Z', true],
    ['2017-01-01T00:59:60+01:00', true],
    ['2026-01-31T12:00:60Z', false],
    ['2016-12-31T23:59:60+01:00', false],
    ['2026-02-29T00:00:00Z', false],
  ])('[B1] and the runtime accept the same dates: %s', (createdAt, isAccepted) => {
    const document = { ...MANIFEST, createdAt };
    expect(bmadManifestSchema.safeParse(document).success).toBe(isAccepted);
    expect(validatorOf('bmad.schema.json')(document)).toBe(isAccepted);
  });

  it('[B1] match the schemas of the runtime ("npm run schemas" writes them)', () => {
    const files = Object.fromEntries(
      readdirSync(published).map((name) => [
        name,
        JSON.parse(readFileSync(fileURLToPath(new URL(name, published)), 'utf8')) as unknown,
      ]),
    );
    expect(files).toEqual(toJsonSchemas());
  });

  for (const [name, schema, valid] of KINDS) {
    const validate = validatorOf(name);
    const sameVerdict = (document: unknown): void => {
      expect({ document, ok: schema.safeParse(document).success }).toEqual({
        document,
        ok: validate(document),
      });
    };

    it(`[B1] ${name} accepts a complete document, and treats each missing key like the runtime`, () => {
      expect(schema.safeParse(valid)).toMatchObject({ success: true });
      sameVerdict(valid);
      for (const { holder, key } of slotsIn(valid)) {
        const removed = holder[key];
        delete holder[key];
        sameVerdict(structuredClone(valid));
        holder[key] = removed;
      }
    });

    it(`[B1] ${name} agrees with the runtime on any change`, () => {
      const value = fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom(
          '1.1',
          '1.2',
          '1.1.',
          'a b',
          '',
          '2026-02-30T00:00:00Z',
          '2026-01-31',
          '2026-01-01T00:00:00+02:00',
          '2016-12-31T23:59:60Z',
          '2017-01-01T00:59:60+01:00',
          '2026-01-31T12:00:60Z',
          2 ** 53 - 1,
          2 ** 53,
          1e300,
          '01.2.3',
          '1.0',
          0,
          -1,
          1.5,
          null,
        ),
      );
      fc.assert(
        fc.property(
          fc.nat(),
          value,
          fc.option(fc.string({ maxLength: 5 }), { freq: 4 }),
          (at, replacement, extra) => {
            const document = structuredClone(valid);
            const slots = slotsIn(document);
            const slot = slots[at % slots.length];
            if (slot && extra !== null && extra !== '__proto__' && !Array.isArray(slot.holder))
              slot.holder[extra] = replacement;
            else if (slot) slot.holder[slot.key] = replacement;
            sameVerdict(document);
          },
        ),
      );
    });
  }
});

function validatorOf(name: string): (document: unknown) => boolean {
  const ajv = new Ajv({ strict: true });
  addFormats(ajv);
  return ajv.compile(toJsonSchemas()[name] ?? false);
}

function slotsIn(value: unknown): { holder: Record<string, unknown>; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...slotsIn(holder[key])]);
}
