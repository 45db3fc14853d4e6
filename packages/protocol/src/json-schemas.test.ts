import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentsDocumentSchema } from './agents.ts';
import { bmadManifestSchema } from './bmad.ts';
import { toJsonSchemas } from './json-schemas.ts';
import { stepFrontmatterSchema, workflowFrontmatterSchema, workflowGraphSchema } from './workflow.ts';
import type * as z from './zod.ts';

const published = new URL('../../../spec/bmad/v1.1/', import.meta.url);

const KINDS: [name: string, schema: z.ZodType, valid: Record<string, unknown>][] = [
  [
    'bmad.schema.json',
    bmadManifestSchema,
    {
      schemaVersion: '1.1.3',
      name: 'n',
      version: '1.0.0-beta.1+b5',
      createdAt: '2026-01-31T10:00:00+08:00',
      entry: { workflow: 'w', graph: 'g', agents: 'a', assetsDir: 'x/' },
      workflows: [{ id: 'a:b', workflow: 'w', graph: 'g', displayName: 'D', tags: ['t'] }],
      runtime: { minRuntimeVersion: '1', requiresNetwork: true },
      integrity: { sha256: 'a'.repeat(64) },
    },
  ],
  [
    'agents.schema.json',
    agentsDocumentSchema,
    {
      schemaVersion: '1.1',
      agents: [
        {
          id: 'a',
          metadata: { name: 'n', title: 't', icon: 'i', module: 'm' },
          persona: { role: 'r', identity: 'i', communication_style: 'c', principles: ['p', 'q'] },
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
  it('[B4] are what the schemas of the runtime give ("npm run schemas" writes them)', () => {
    const files = Object.fromEntries(
      readdirSync(published).map((name) => [
        name,
        JSON.parse(readFileSync(fileURLToPath(new URL(name, published)), 'utf8')) as unknown,
      ]),
    );
    expect(files).toEqual(toJsonSchemas());
  });

  for (const [name, schema, valid] of KINDS) {
    const ajv = new Ajv({ strict: true });
    addFormats(ajv);
    const validate = ajv.compile(toJsonSchemas()[name] ?? false);
    const sameVerdict = (document: unknown): void => {
      expect({ document, ok: schema.safeParse(document).success }).toEqual({
        document,
        ok: validate(document),
      });
    };

    it(`[B4] ${name} accepts a document with everything in it, and each without one key alike`, () => {
      expect(schema.safeParse(valid)).toMatchObject({ success: true });
      sameVerdict(valid);
      for (const { holder, key } of placesIn(valid)) {
        const removed = holder[key];
        delete holder[key];
        sameVerdict(structuredClone(valid));
        holder[key] = removed;
      }
    });

    it(`[B4] ${name} gives the verdict of the runtime on any change`, () => {
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
            const places = placesIn(document);
            const place = places[at % places.length];
            if (place && extra !== null && extra !== '__proto__' && !Array.isArray(place.holder))
              place.holder[extra] = replacement;
            else if (place) place.holder[place.key] = replacement;
            sameVerdict(document);
          },
        ),
      );
    });
  }
});

function placesIn(value: unknown): { holder: Record<string, unknown>; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}
