import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importReportSchema } from '@crewagent/protocol/import-report';
import { describe, expect, it } from 'vitest';
import { zipOf } from '../../../packages/core/src/testing/packages/raw-zip.ts';
import { createCliRig } from './testing/cli-rig.ts';

const STEP = (next: string): string => `# Step\n\n- IF C: Read fully and follow: ${next}\n`;
const SOURCE = {
  'module.yaml': 'code: birds\n',
  'workflows/count/workflow.md': '# Count birds\n\nFollow steps/step-01-look.md\n',
  'workflows/count/steps/step-01-look.md': STEP('./step-02-write.md'),
  'workflows/count/steps/step-02-write.md': '# Write the numbers\n',
  'workflows/ring/workflow.md': '# Ring birds\n',
};

const toEntries = (folder: string): Record<string, string> =>
  Object.fromEntries(Object.entries(SOURCE).map(([name, text]) => [folder + name, text]));

describe('crewagent import', () => {
  it('[Z50] converts a source and prints its era, workflows, checks and points to review', async () => {
    const rig = await createCliRig();
    await rig.write('source', SOURCE);
    const { code, out } = await rig.run('import', 'source');
    expect(out.split('\n')).toEqual([
      '✔ birds 2 workflows, 1 agent  birds',
      '  source    bmad-v6  workflows/count/workflow.md',
      '  workflow  count  usable micro-steps, 2 nodes, 1 edge',
      '  workflow  ring  usable micro-steps, 1 node, 0 edges',
      '  edges     1 exact, 0 inferred, 0 dropped',
      '  other     3 exact, 3 inferred, 0 dropped',
      '  validate  0 errors, 0 warnings',
      '  rehearse  3/3 nodes, 1/1 edges',
      '',
      'Check by hand:',
      '  - The source has no licence file. Make sure that you may use it.',
      '  - A run proves nothing in count, ring: the text says neither where it waits nor what it writes.',
      '',
      'Details: birds/import-report.md',
      '',
    ]);
    expect(code).toBe(0);
    expect(await readFile(join(rig.folder, 'birds/bmad.json'), 'utf8')).toContain('"name": "birds"');
  });

  it('[Z50] takes the SKILL.md of a skill for its folder, with the other files of the skill', async () => {
    const rig = await createCliRig();
    await rig.write('skills/greet', {
      'SKILL.md': '---\nname: greet\ndescription: Greets.\n---\n# Greet\n\nGreet with references/words.md.\n',
      'references/words.md': 'Hello\n',
    });
    const { code, out, err } = await rig.run('import', 'skills/greet/SKILL.md');
    expect(err).toBe('');
    expect(out).toContain('✔ greet 1 workflow, 1 agent  greet');
    expect(out).toContain('  source    agent-skills  SKILL.md');
    expect(code).toBe(0);
    const { out: files } = await rig.run('import', 'skills/greet', '-o', 'same', '--json');
    expect(JSON.parse(files)).toMatchObject({ report: { package: { name: 'greet' } } });
    const missing = await rig.run('import', 'skills/none/SKILL.md');
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('no such file') as string });
  });

  it('[Z50] reads a zip like a folder', async () => {
    const rig = await createCliRig();
    await writeFile(join(rig.folder, 'birds-main.zip'), zipOf(toEntries('birds-main/')));
    const { code, out } = await rig.run('import', 'birds-main.zip');
    expect(out).toContain('✔ birds 2 workflows, 1 agent  birds');
    expect(code).toBe(0);
    await writeFile(join(rig.folder, 'no.zip'), 'x');
    const refused = await rig.run('import', 'no.zip');
    expect(refused.err).toContain(
      '"no.zip" cannot be read as a zip: it has no zip structure. Use a folder or a zip file.',
    );
    expect(refused.code).toBe(2);
  });

  it('[Z50] prints one line with --json, filters modules and workflows, and skips the rehearsal', async () => {
    const rig = await createCliRig();
    await rig.write('source', SOURCE);
    const args = [
      'source',
      '-o',
      'out',
      '--module',
      'birds',
      '--workflow',
      'ring',
      '--no-rehearse',
      '--json',
    ];
    const { code, out } = await rig.run('import', ...args);
    const printed = JSON.parse(out) as { folder: string; report: unknown; diagnostics: unknown };
    expect([code, printed.folder, printed.diagnostics]).toEqual([0, 'out', []]);
    const report = importReportSchema.parse(printed.report);
    expect(report.workflows.map(({ id }) => id)).toEqual(['ring']);
    expect(report.checks).toEqual({ errors: 0, warnings: 0 });
  });

  it('[Z50] exits with 2 and one line for an invalid source, and with 1 for a failed check', async () => {
    const rig = await createCliRig();
    await rig.write('empty', { 'a.txt': 'x' });
    await rig.write('source', SOURCE);
    const empty = await rig.run('import', 'empty');
    expect([empty.code, empty.err]).toEqual([
      2,
      expect.stringMatching(/^Error: "empty" contains nothing that can be imported: .*\n$/),
    ]);
    expect((await rig.run('import', 'nowhere')).err).toMatch(/There is no folder "nowhere"/);
    expect((await rig.run('import', 'source', '--workflow', 'x')).err).toMatch(
      /no workflow "x"; it has count, ring/,
    );
    await rig.run('import', 'source', '--no-rehearse');
    await rig.write('birds', { 'bmad.json': '{}' });
    const edited = await rig.run('import', 'source');
    expect(edited.code).toBe(1);
    expect(edited.out).toContain('✖ birds');
  });

  it('[K32] says why the rehearsal failed', async () => {
    const rig = await createCliRig();
    const look = `${SOURCE['workflows/count/steps/step-01-look.md']}\nRead \`./step-09-none.md\`.\n`;
    await rig.write('source', { ...SOURCE, 'workflows/count/steps/step-01-look.md': look });
    const { code, out } = await rig.run('import', 'source');
    expect(code).toBe(1);
    expect(out).toMatch(
      /\n {2}rehearse {2}3\/3 nodes, 1\/1 edges; failed: 1 file that steps name is not in the package\n {12}\S*step-01-look\.md:\d+ {2}/,
    );
    expect(out).toContain('every step was rehearsed, and a run continues without them');
    const page = await readFile(join(rig.folder, 'birds/import-report.md'), 'utf8');
    expect(page).toContain('rehearsal complete, except for 1 missing file, 3 of 3 nodes');
    expect(page).toContain('Nothing else failed: every step was rehearsed');
  });

  it('[Z50] explains the source, the report and the exit codes in its help', async () => {
    const rig = await createCliRig();
    const { code, out } = await rig.run('import', '--help');
    expect(code).toBe(0);
    for (const text of [
      '--module <code>',
      '--workflow <id...>',
      '--no-rehearse',
      'nothing in it is executed',
      'Exit codes',
    ])
      expect(out).toContain(text);
  });
});
