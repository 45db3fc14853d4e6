/**
 * Imports real modules and skills, if available: every folder below `CREWAGENT_IMPORT_CONTENT` that contains a source. Skipped
 * otherwise, because no such content is in this repository.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DILIGENT_READERS } from '../rehearse/readers/reader.ts';
import { playAs } from '../testing/play-as.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { convertSource } from './convert-source.ts';
import { importSource } from './import-source.ts';
import { readSource } from './read-source.ts';
import { recogniseSource } from './recognise-source.ts';
import { UNCHECKED } from './steps/step-proof.ts';

const content = process.env.CREWAGENT_IMPORT_CONTENT ?? '';
const sources =
  content === '' ? [] : readdirSync(content, { withFileTypes: true }).filter((entry) => entry.isDirectory());

describe.skipIf(sources.length === 0)('real content', () => {
  it.each(sources.map(({ name }) => name))(
    '%s: every workflow, no errors, edges with evidence, rehearsed whole',
    async (name) => {
      const source = join(content, name);
      const out = join(await tempFolder(), 'package');
      const { workflows } = recogniseSource(await readSource(source));
      const { report, diagnostics, rehearsal } = await importSource({
        source,
        out,
        context: { runtimeVersion: '1.0.0', knownServers: new Set() },
      });
      expect(report.workflows.map((workflow) => workflow.source).sort()).toEqual(
        workflows.map(({ file }) => file).sort(),
      );
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      const { exact, inferred, dropped } = report.totals.edges;
      expect((exact + inferred) / Math.max(1, exact + inferred + dropped)).toBeGreaterThanOrEqual(0.9);
      expect(
        report.workflows.flatMap(({ edges }) => edges).filter(({ evidence }) => evidence.length === 0),
      ).toEqual([]);
      expect(rehearsal?.workflows.filter(({ ok }) => !ok)).toEqual([]);
      expect(rehearsal?.workflows.flatMap(({ missed }) => missed)).toEqual([]);
    },
    300_000,
  );

  it.each(sources.map(({ name }) => name))(
    '%s: every workflow with checks is proved by work, and by nothing less',
    async (name) => {
      const { files, report } = convertSource(await readSource(join(content, name)));
      const pkg = Object.fromEntries([...files].map(([path, bytes]) => [path, String(bytes)]));
      const unchecked = report.constructs
        .filter(({ construct }) => construct === UNCHECKED)
        .map(({ workflow }) => workflow);
      for (const { id } of report.workflows) {
        const lazy = await playAs('lazy', { package: pkg, workflow: id });
        expect([id, lazy.phase]).toEqual([id, unchecked.includes(id) ? 'Completed' : 'WaitingUser']);
        for (const kind of DILIGENT_READERS) {
          const { phase, isProved, stubs } = await playAs(kind, { package: pkg, workflow: id });
          expect([id, kind, phase, isProved, stubs]).toEqual([id, kind, 'Completed', true, []]);
        }
      }
    },
    600_000,
  );

  it.each(sources.map(({ name }) => name))(
    '%s: every step body is in the package byte for byte',
    async (name) => {
      const tree = await readSource(join(content, name));
      const { files } = convertSource(tree);
      const written = [...files.values()].map(String);
      for (const step of recogniseSource(tree).workflows.flatMap(({ steps }) => steps)) {
        const body = (tree.text(step) ?? '').replace(/^---\n[\s\S]*?\n---\n/, '');
        expect(
          written.some((text) => text.endsWith(`---\n${body}`)),
          step,
        ).toBe(true);
      }
    },
  );
});
