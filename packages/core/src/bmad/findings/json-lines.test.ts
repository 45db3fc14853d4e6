import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectFiles } from '../../testing/inspect.ts';
import { samplePackage } from '../../testing/packages/sample-package.ts';
import { createLineFinder, toPointer } from './findings.ts';

describe('lines of findings in JSON documents', () => {
  it('[B10] a finding in a JSON document has the line of its value, or of the object that lacks it', async () => {
    const graph = {
      schemaVersion: '1.1',
      entryNodeId: 'step-01',
      nodes: [
        { id: 'step-01', type: 'step', file: 'steps/missing.md' },
        { id: 'end-99', type: 'end', file: 'steps/end-99.md' },
      ],
      edges: [{ from: 'step-01', to: 'end-99' }],
    };
    const text = JSON.stringify(graph, null, 2);
    const { diagnostics } = await inspectFiles({ ...samplePackage(), 'workflow.graph.json': text });
    const lineOf = (part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;
    expect(diagnostics.map(({ code, pointer, line }) => [code, pointer, line])).toEqual([
      ['SCHEMA', '/edges/0/label', lineOf('"edges"') + 1],
      ['MISSING_FILE', '/nodes/0/file', lineOf('steps/missing.md')],
    ]);
  });

  it('[B10] finds the line of every value of any document', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value, null, 1);
        const lineOf = createLineFinder(text);
        const rows = text.split('\n');
        const visit = (part: unknown, path: readonly PropertyKey[]): void => {
          const pointer = toPointer(path);
          if (pointer !== undefined && pointer.length <= 300) {
            const row = rows[lineOf(pointer) - 1]?.trim() ?? '';
            const key = path.at(-1);
            const shown = typeof key === 'string' ? `${JSON.stringify(key)}: ` : '';
            const first = JSON.stringify(part, null, 1).split('\n')[0];
            expect(row.replace(/,$/, '')).toBe(`${shown}${first}`);
          }
          if (typeof part !== 'object' || part === null) return;
          for (const [key, member] of Object.entries(part))
            visit(member, [...path, Array.isArray(part) ? Number(key) : key]);
        };
        visit(value, []);
      }),
    );
  });

  it('[B10] stays bounded for hostile documents', () => {
    const lineOf = createLineFinder(`{"${'k'.repeat(1_000_000)}":${'['.repeat(500_000)}1`);
    expect(lineOf('/a/b')).toBe(1);
    expect(createLineFinder(`[${'1,\n'.repeat(1_000_000)}1]`)('/5')).toBe(6);
  });
});
