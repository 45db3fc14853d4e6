/**
 * Import of a module with 100 steps of 8 KB each, written and validated, against a limit of two seconds. Measures CPU time,
 * because the wall clock of a busy machine is not meaningful.
 */
import { join } from 'node:path';
import { importSource } from '@crewagent/core';
import { writeTree } from '../packages/core/src/testing/file-tree.ts';
import { atMost, inFolder, type Row } from './measure.ts';

const context = { runtimeVersion: '0.1.0', knownServers: new Set<string>() };
const STEPS = 100;

export async function benchConvert(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const source = join(folder, 'module');
    await writeTree(source, largeModule());
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const start = process.cpuUsage();
      const { diagnostics } = await importSource({
        source,
        out: join(folder, `${round}`),
        context,
        rehearse: false,
      });
      const { user, system } = process.cpuUsage(start);
      times.push((user + system) / 1_000);
      if (diagnostics.length > 0)
        throw new Error(`the package is not valid: ${JSON.stringify(diagnostics[0])}`);
    }
    return [atMost('CPU time of an import of 100 steps, maximum of five', Math.max(...times), 2_000)];
  });
}

function largeModule(): Record<string, string> {
  const name = (step: number): string => `step-${String(step).padStart(3, '0')}-part`;
  const prose =
    '- Look at `{plans}/notes.md` and at ../data/table.csv before you answer the person.\n'.repeat(95);
  const steps = Array.from({ length: STEPS }, (_, index): [string, string] => {
    const next = index + 1 < STEPS ? `nextStepFile: './${name(index + 2)}.md'\n` : '';
    const move =
      next === '' ? '' : '- IF C: Save to {outputFile}, then read fully and follow: {nextStepFile}\n';
    const head = `---\nname: '${name(index + 1)}'\n${next}outputFile: '{plans}/part-${index}.md'\n---\n`;
    return [`work/steps/${name(index + 1)}.md`, `${head}# Part ${index}\n\n${prose}${move}`];
  });
  return {
    'module.yaml':
      'code: large\nplans:\n  prompt: "Where?"\n  default: "plans"\n  result: "{project-root}/{value}"\n',
    'work/workflow.md': `# Work\n\nRead fully and follow: steps/${name(1)}.md\n`,
    'work/data/table.csv': 'a,b\n',
    ...Object.fromEntries(steps),
  };
}
