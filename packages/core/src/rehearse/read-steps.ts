/** The text of the steps of workflows. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workflow } from '../bmad/check/workflow-package.ts';
import { parseStep, type Step } from './models/step.ts';

/** By path of their file; runs need only the text that a model gets. */
export async function readSteps(folder: string, workflows: readonly Workflow[]): Promise<Map<string, Step>> {
  const files = new Set(workflows.flatMap(({ nodes }) => [...nodes.values()].map(({ file }) => file)));
  const steps = new Map<string, Step>();
  for (const file of files) steps.set(file, parseStep(await readFile(join(folder, file), 'utf8')));
  return steps;
}
