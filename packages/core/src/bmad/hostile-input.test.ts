/**
 * For any bytes, validation ends with findings or a package, and writes nothing.
 */
import { join } from 'node:path';
import { diagnosticSchema } from '@crewagent/protocol/diagnostics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { openDiskStore } from '../store/disk/open-store.ts';
import { inspectBytes, inspectFiles, testContext } from '../testing/inspect.ts';
import { zipOf } from '../testing/packages/raw-zip.ts';
import { samplePackage } from '../testing/packages/sample-package.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';
import { importPackage } from './import-package.ts';
import type { Inspection } from './load-package.ts';

/** Either a package and no errors, or well-formed errors and no package. */
function expectVerdict({ diagnostics, package: loaded }: Inspection): void {
  for (const entry of diagnostics) diagnosticSchema.parse(entry);
  const hasErrors = diagnostics.some(({ severity }) => severity === 'error');
  expect(loaded === undefined).toBe(hasErrors);
}

const sample = zipOf(samplePackage());

describe('validation ends for any input', () => {
  it('[B20] arbitrary bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 4_096 }), async (bytes) => {
        expectVerdict(await inspectBytes(bytes));
      }),
    );
  });

  it('[B20] a zip truncated anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: sample.length - 1 }), async (length) => {
        const inspection = await inspectBytes(sample.subarray(0, length));
        expectVerdict(inspection);
        expect(inspection.package).toBeUndefined();
      }),
    );
  });

  it('[B20] a zip with bytes changed anywhere', async () => {
    const change = fc.tuple(fc.nat({ max: sample.length - 1 }), fc.nat({ max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const bytes = Buffer.from(sample);
        for (const [at, value] of changes) bytes[at] = value;
        expectVerdict(await inspectBytes(bytes));
      }),
    );
  });

  it('[B20] an import of a changed zip leaves one package or none, and nothing outside', async () => {
    const change = fc.tuple(fc.nat({ max: sample.length - 1 }), fc.nat({ max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const bytes = Buffer.from(sample);
        for (const [at, value] of changes) bytes[at] = value;
        const folder = await tempFolder();
        await writeTree(folder, { 'in.bmad': bytes });
        const store = openDiskStore(join(folder, 'store'));
        const outcome = await importPackage(join(folder, 'in.bmad'), store, testContext).then(
          ({ package: installed }) => [installed.hash],
          (error: unknown) => {
            expect(error).toBeInstanceOf(CrewError);
            return [];
          },
        );
        const files = Object.keys(await readTree(folder)).filter((path) => path !== 'in.bmad');
        const hashes = files.flatMap((path) => /^store\/packages\/([^/]+)\/$/.exec(path)?.[1] ?? []);
        expect(hashes).toEqual(outcome);
        const compiled = hashes.flatMap((hash) => [
          'store/cache/',
          'store/cache/packages/',
          `store/cache/packages/${hash}.json`,
        ]);
        expect(files.filter((path) => !/^store\/(packages\/|$)/.test(path)).sort()).toEqual(compiled);
      }),
    );
  });

  const documents = Object.keys(samplePackage());

  it('[B20] any JSON value in place of a document', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...documents), fc.jsonValue({ maxDepth: 6 }), async (path, value) => {
        expectVerdict(await inspectFiles({ ...samplePackage(), [path]: JSON.stringify(value) }));
      }),
    );
  });

  it('[B20] a JSON document with one value replaced by any other', async () => {
    const jsonDocuments = documents.filter((path) => path.endsWith('.json'));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...jsonDocuments),
        fc.nat(),
        fc.jsonValue({ maxDepth: 3 }),
        async (path, at, value) => {
          const document: unknown = JSON.parse(samplePackage()[path] ?? '');
          const slots = slotsIn(document);
          const slot = slots[at % slots.length];
          if (slot) slot.holder[slot.key] = value;
          expectVerdict(await inspectFiles({ ...samplePackage(), [path]: JSON.stringify(document) }));
        },
      ),
    );
  });

  it('[B20] a document with characters changed anywhere', async () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom(
        '\n',
        '---\n',
        '- ',
        ': ',
        '{',
        '[',
        '&a ',
        '*a',
        '!!js ',
        '\t',
        '"',
        "'",
        '|',
        '>',
        '%',
        '@',
        '`',
        '\0',
        '\uFEFF',
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...documents),
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 5 }), piece), { minLength: 1, maxLength: 5 }),
        async (path, edits) => {
          let text = samplePackage()[path] ?? '';
          for (const [at, removed, inserted] of edits) {
            const start = at % (text.length + 1);
            text = text.slice(0, start) + inserted + text.slice(start + removed);
          }
          expectVerdict(await inspectFiles({ ...samplePackage(), [path]: text }));
        },
      ),
    );
  });

  it('[B20] a manifest that lists the same graph ten thousand times', async () => {
    const inspection = await inspectFiles(
      samplePackage(({ bmad, graph }) => {
        bmad.workflows = Array.from({ length: 10_000 }, (_, index) => ({
          id: `w${index}`,
          workflow: 'workflow.md',
          graph: 'workflow.graph.json',
        }));
        const conditionExpr = { '==': [{ var: 'variables.topic' }, 'a'] };
        const edge = { from: 'step-01', to: 'end-99', label: 'next', conditionExpr };
        graph.edges = Array.from({ length: 5_000 }, () => edge);
      }),
    );
    expect(inspection.package?.workflows).toHaveLength(10_000);
  });
});

/** Every slot of a JSON value that contains another value. */
function slotsIn(value: unknown): { holder: Record<string, unknown>; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...slotsIn(holder[key])]);
}
