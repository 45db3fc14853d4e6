/**
 * A run of the branching package with a scripted model, and the script that completes it.
 */

import { call, createScriptedModel, finish, type Script } from '../models/scripted-model.ts';
import { branchingPackage } from '../packages/branching-package.ts';
import {
  createDiskRunRig,
  createRunRig,
  type DiskRunRig,
  type RunRig,
  type RunRigOptions,
} from './run-rig.ts';

export const rigFor = (script: Script, more: Partial<RunRigOptions> = {}): Promise<RunRig> =>
  createRunRig({ package: branchingPackage(), model: createScriptedModel(script), ...more });

export const diskRigFor = (script: Script, more: Partial<RunRigOptions> = {}): Promise<DiskRunRig> =>
  createDiskRunRig({ package: branchingPackage(), model: createScriptedModel(script), ...more });

export const TO_THE_END = [
  call('fs_write', { path: 'artifacts/k.md', content: 'x' }),
  finish('step-01', 'decide-02', { key: 'k' }),
  finish('decide-02', 'step-03'),
  finish('step-03', 'end-99'),
  finish('end-99'),
  'All done.',
];

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}
