/**
 * Finds the workflow and agent of a run by the name a person gives: in a package on disk or in the store, by id or
 * path.
 */

import { join, resolve } from 'node:path';
import type { MenuItem } from '@crewagent/protocol/agents';
import { findTargetWorkflow, type KnownWorkflow } from '../agents/resolve-refs.ts';
import { CrewError } from '../base/crew-error.ts';
import { withDiskErrors } from '../base/errno.ts';
import { METHOD_FILE } from '../base/method-file.ts';
import { isOnDisk } from '../base/small-files.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import {
  fromPlainPackage,
  isPlainPackage,
  toPackagePath,
  toPlainPackage,
  type Workflow,
  type WorkflowNode,
  type WorkflowPackage,
} from '../bmad/check/workflow-package.ts';
import type { Store, UserStore } from '../store/store.ts';

/** The hash of the package that a path or an installed id refers to. A package given by path is installed first. */
export async function pinPackage(ref: string, store: UserStore, context: ValidationContext): Promise<string> {
  // Loaded lazily: most runs need neither validation nor installation, which are a large part of the code.
  if (isOnDisk(ref) && !isOtherFolder(ref)) {
    const { importPackage } = await import('../bmad/import-package.ts');
    const origin = { place: { kind: 'path', path: resolve(ref) } } as const;
    return (await importPackage(ref, store, context, { isPrivate: true, origin })).package.hash;
  }
  if (/[/\\]|\.(?:bmad|zip|md)$/i.test(ref))
    throw new CrewError('PACKAGE_NOT_FOUND', `There is no package at "${ref}"; check the path.`);
  const { resolveInstalled } = await import('../bmad/installed-packages.ts');
  try {
    return (await resolveInstalled(store, ref, { isNewest: true })).hash;
  } catch (error) {
    if (!(error instanceof CrewError) || error.code !== 'PACKAGE_NOT_FOUND') throw error;
    const what = isOnDisk(ref)
      ? `the folder "${ref}" has no bmad.json or ${METHOD_FILE}`
      : 'there is no such file or folder';
    throw new CrewError(
      error.code,
      `No installed package matches "${ref}", and ${what}. Check the path, or run "crewagent packages list".`,
    );
  }
}

/** An installed package, ready to run. Its texts are checked when they are read, or at once if it is checked as a whole. */
export async function loadInstalled(
  hash: string,
  store: UserStore,
  context: ValidationContext,
  { isWhole = false } = {},
): Promise<WorkflowPackage> {
  const folder = store.packages.folder(hash);
  const allowed = async (loaded: WorkflowPackage): Promise<WorkflowPackage> => {
    if ((await store.policy.read()).length === 0) return loaded;
    const { requirePackage } = await import('../bmad/signing/require-package.ts');
    const signature = (await store.packages.readOrigin(hash))?.signature;
    await requirePackage(store.policy, { name: loaded.manifest.name, hash, signature });
    return loaded;
  };
  if (!(await store.packages.find(hash))) {
    throw new CrewError(
      'PACKAGE_NOT_FOUND',
      `The package of this run (${hash.slice(0, 12)}) is no longer installed; add it again with "crewagent packages add", then resume.`,
    );
  }
  const seal = await store.packages.seal(hash);
  const compiled = await store.packages.readCompiled(hash);
  if (isWhole || !isPlainPackage(compiled)) seal.checkAll();
  else seal.checkNames();
  if (isPlainPackage(compiled)) return allowed(fromPlainPackage(compiled));
  const { withValidPackage } = await import('../bmad/load-package.ts');
  const loaded = await withValidPackage(folder, context, (_, found) => Promise.resolve(found), {
    shown: hash.slice(0, 12),
    isInstalled: true,
  });
  await store.packages.writeCompiled(hash, toPlainPackage(loaded));
  return allowed(loaded);
}

export function resolveWorkflow({ workflows, manifest }: WorkflowPackage, ref: string | undefined): Workflow {
  const wanted = ref?.trim();
  const found = wanted
    ? workflows.find((workflow) => workflow.ref === wanted || workflow.workflowPath === toPackagePath(wanted))
    : workflows[0];
  if (found) return found;
  const known = workflows.map((workflow) => workflow.ref).join(', ');
  throw new CrewError(
    'WORKFLOW_NOT_FOUND',
    `${manifest.name} has no workflow "${wanted ?? ''}"; it has ${known}.`,
  );
}

/** The workflow of a run, with the names of the others. */
export function toPlan(
  loaded: WorkflowPackage,
  ref: string,
): Workflow & { readonly others: readonly string[] } {
  const workflow = resolveWorkflow(loaded, ref);
  const others = loaded.workflows.filter((other) => other !== workflow);
  return { ...workflow, others: others.map(({ title, ref: id }) => title || id) };
}

/** The chosen agent; by default the first agent whose menu starts the workflow, or the first one. */
export function resolveAgent(
  { agents, manifest, workflows }: WorkflowPackage,
  workflow: Workflow,
  ref: string | undefined,
): string {
  const wanted = ref?.trim();
  if (wanted) {
    const found = agents.find(({ id }) => id === wanted);
    if (found) return found.id;
    const known = agents.map(({ id }) => id).join(', ');
    throw new CrewError('AGENT_NOT_FOUND', `${manifest.name} has no agent "${wanted}"; it has ${known}.`);
  }
  const starter = agents.find(({ menu = [] }) => menu.some((item) => leadsTo(workflow, item, workflows)));
  return (starter ?? agents[0])?.id ?? '';
}

/** Whether a menu item starts this workflow, by its id or by a path. */
function leadsTo(wanted: Workflow, item: MenuItem, all: readonly Workflow[]): boolean {
  const scope = { workflows: toKnownWorkflows(all), promptIds: NO_PROMPTS, artifactsDir: 'artifacts' };
  return findTargetWorkflow(item, scope)?.path === wanted.workflowPath;
}

const NO_PROMPTS: ReadonlySet<string> = new Set();

export function toKnownWorkflows(workflows: readonly Workflow[]): KnownWorkflow[] {
  return workflows.map(({ ref, workflowPath, title }) => ({ id: ref, path: workflowPath, title }));
}

/** Whether `ref` is a folder that is not a package but has a name that a package could have. */
function isOtherFolder(ref: string): boolean {
  if (!/^[\w@.-]+$/.test(ref) || /\.(?:bmad|zip|md)$/i.test(ref) || /^\.+$/.test(ref)) return false;
  return !isOnDisk(join(ref, 'bmad.json')) && !isOnDisk(join(ref, METHOD_FILE));
}

/** The text of a step as its author wrote it. The node's path was validated when the package was installed. */
export async function readStep(store: Store, hash: string, { file }: WorkflowNode): Promise<string> {
  return withDiskErrors('Could not read the step', async () =>
    (await store.packages.seal(hash)).read(file).toString('utf8'),
  );
}
