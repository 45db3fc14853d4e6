import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFolder } from '../bmad/archive/open-folder.ts';
import { createFindings } from '../bmad/findings/findings.ts';
import { CLASSIC, SKILLS, V6_MODULE } from '../testing/import-sources.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';
import { importSource } from './import-source.ts';

const context = { runtimeVersion: '1.0.0', knownServers: new Set<string>() };
const SOW = 'plants/workflows/1-spring/sow-bed';

async function setUp(files = { ...V6_MODULE, ...CLASSIC }) {
  const folder = await tempFolder();
  const [source, out] = [join(folder, 'garden'), join(folder, 'package')];
  await writeTree(source, files);
  const run = (rehearse = false) => importSource({ source, out, context, rehearse });
  const read = (path: string) => readFile(join(out, path), 'utf8');
  return { source, out, run, read };
}

describe('importing a source', () => {
  it('[Z50] writes the package with both reports, validates and rehearses it', async () => {
    const { out, run, read } = await setUp();
    const { diagnostics, rehearsal, report } = await run(true);
    // The source refers to a step and a variable that it lacks.
    expect(new Set(diagnostics.map(({ severity }) => severity))).toEqual(new Set(['warning']));
    expect(rehearsal?.workflows.map(({ ok, nodes, edges }) => ({ ok, nodes, edges }))).toEqual([
      { ok: true, nodes: { covered: 4, total: 4 }, edges: { covered: 6, total: 6 } },
      { ok: true, nodes: { covered: 7, total: 7 }, edges: { covered: 9, total: 9 } },
    ]);
    expect(JSON.parse(await read('import-report.json'))).toEqual(report);
    expect(report.checks).toMatchObject({
      errors: 0,
      // Complete, except for the step that the source lacks.
      rehearsal: { ok: false, edges: { covered: 15, total: 15 } },
    });
    const page = await read('import-report.md');
    expect(page).toContain('## Check first');
    expect(page).toContain(
      `| \`step-01-soil\` | \`step-02-seeds\` | \`C\` | exact | \`${SOW}/steps/step-01-soil.md:6\``,
    );
    expect(page).not.toContain(out);
  }, 30_000);

  it('[Z50] produces valid skills with full rehearsal coverage', async () => {
    const { run } = await setUp(SKILLS);
    const { diagnostics, rehearsal } = await run(true);
    expect(diagnostics.map(({ code }) => code)).toEqual(['TOOL_UNAVAILABLE']);
    expect(rehearsal?.ok).toBe(true);
  }, 30_000);

  it('[Z50] a repeated import changes nothing if nothing changed, and applies changes of the source', async () => {
    const { source, out, run, read } = await setUp();
    await run();
    const before = await readTree(out);
    await run();
    expect(await readTree(out)).toEqual(before);
    const packaged = await readFolder(out, createFindings());
    expect([...(packaged?.paths ?? [])].filter((path) => path.startsWith('.'))).toEqual([]);
    const step = join(source, SOW, 'steps/step-03-done.md');
    await writeFile(step, '# Step 3: All done\n');
    await rm(join(source, SOW, 'bed.template.md'));
    await run();
    expect(await read('workflows/sow-bed/steps/step-03-done.md')).toContain('# Step 3: All done\n');
    await expect(read('workflows/sow-bed/bed.template.md')).rejects.toThrow(/ENOENT/);
  });

  it('[Z50] preserves hand edits, merges them with changes of other lines, and prefers them on conflict', async () => {
    const { source, run, out, read } = await setUp();
    await run();
    const edit = async (path: string, from: string, to: string) =>
      writeFile(join(out, path), (await read(path)).replace(from, to));
    await edit('workflows/sow-bed/steps/step-01-soil.md', '# Step 1: Soil', '# Step 1: My soil');
    await edit('workflows/sow-bed/workflow.md', 'Never rush', 'Do not rush');
    await edit('workflows/sow-bed/steps/step-02-seeds.md', 'only looks', 'just looks');
    await edit('agents.json', 'Grew up in a nursery.', 'Grew up here.');
    const change = async (path: string, from: string, to: string) =>
      writeFile(join(source, SOW, path), (await readFile(join(source, SOW, path), 'utf8')).replace(from, to));
    await change('steps/step-01-soil.md', 'Never load', 'Do not ever load');
    await change('steps/step-02-seeds.md', 'only looks', 'merely looks');
    const { report } = await run();
    expect(report.edits).toEqual({
      kept: ['agents.json', 'workflows/sow-bed/workflow.md'],
      merged: ['workflows/sow-bed/steps/step-01-soil.md'],
      conflicts: ['workflows/sow-bed/steps/step-02-seeds.md'],
    });
    const soil = await read('workflows/sow-bed/steps/step-01-soil.md');
    expect(soil).toContain('# Step 1: My soil');
    expect(soil).toContain('Do not ever load');
    expect(await read('workflows/sow-bed/steps/step-02-seeds.md')).toContain('just looks');
    expect(report.attention[0]).toContain('your version was kept');
  });

  it('[Z50] rejects the folder of an import of another source, and changes nothing in it', async () => {
    const { source, out, run } = await setUp();
    await run();
    const before = await readTree(out);
    const other = await tempFolder();
    await writeTree(join(other, 'kites'), SKILLS);
    await expect(importSource({ source: join(other, 'kites'), out, context })).rejects.toMatchObject({
      code: 'TARGET_EXISTS',
      message: `"${out}" was imported from "garden", not from "kites". Choose another folder with -o.`,
    });
    expect(await readTree(out)).toEqual(before);
    await rename(source, join(other, 'garden-2.0'));
    await importSource({ source: join(other, 'garden-2.0'), out, context, rehearse: false });
  });

  it('[Z50] rejects a folder with other content, with a link in it, or inside the source', async () => {
    const { source, out, run } = await setUp();
    await writeTree(out, { 'mine.txt': 'x' });
    await expect(run()).rejects.toThrow(/is not empty and not an earlier import/);
    await rm(join(out, 'mine.txt'));
    await run();
    await rm(join(out, 'workflows'), { recursive: true });
    const elsewhere = await tempFolder();
    await symlink(elsewhere, join(out, 'workflows'));
    await expect(run()).rejects.toThrow(/is a symbolic link/);
    expect(await readTree(elsewhere)).toEqual({});
    await expect(importSource({ source, out: join(source, 'x'), context })).rejects.toThrow(
      /inside or around/,
    );
    await expect(importSource({ source, out: join(source, '..'), context })).rejects.toThrow(
      /inside or around/,
    );
  });
});
