/**
 * The typed inputs of workflows, with the values that a run in a project would have now.
 */
import { basename, resolve } from 'node:path';
import type { Project } from '@crewagent/protocol/project';
import type { TypedInput } from '@crewagent/protocol/typed-inputs';
import { CrewError } from '../base/crew-error.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { type Workflow, type WorkflowPackage, withCalled } from '../bmad/check/workflow-package.ts';
import type { Store } from '../store/store.ts';
import { type ResolvedInput, resolveInputs } from '../workflow/resolve-inputs.ts';
import { loadInstalled, pinPackage, resolveWorkflow } from './load-workflow.ts';
import { loadBackground } from './prompt-facts.ts';

interface InputDeps {
  readonly store: Store;
  readonly now: () => Date;
}

export async function loadInputs(
  inputs: readonly TypedInput[],
  projectId: string | undefined,
  { store, now }: InputDeps,
  /** A project that is not registered yet. */
  folder?: Pick<Project, 'name' | 'path'>,
): Promise<ResolvedInput[]> {
  if (inputs.length === 0) return [];
  const project = projectId === undefined ? folder : await store.projects.read(projectId);
  const { inputs: answers } = await store.settings.load();
  const background = await loadBackground(store, { name: project?.name ?? '' }, now);
  const { userName, projectName, date, language, documentLanguage = language } = background;
  return resolveInputs(inputs, {
    answers,
    projectId,
    known: {
      user_name: userName,
      project_name: projectName,
      date,
      communication_language: language,
      document_output_language: documentLanguage,
      directory_name: project && basename(project.path),
    },
  });
}

/** The inputs of a workflow and of those that it calls, each name once. */
export function inputsOf(
  workflow: Workflow,
  { workflows }: Pick<WorkflowPackage, 'workflows'>,
): TypedInput[] {
  return uniqueInputs(withCalled([workflow], workflows).flatMap(({ typedInputs }) => typedInputs));
}

export function uniqueInputs(inputs: readonly TypedInput[]): TypedInput[] {
  return [...new Map(inputs.toReversed().map((input) => [input.name, input])).values()].toReversed();
}

/** Throws INPUT_MISSING with the names of questions that have neither an answer nor a default. */
export async function requireInputs(
  workflow: Workflow,
  loaded: WorkflowPackage,
  {
    projectId,
    given = [],
    ...deps
  }: InputDeps & { readonly projectId: string; readonly given?: readonly string[] },
): Promise<void> {
  const missing = (await loadInputs(inputsOf(workflow, loaded), projectId, deps)).filter(
    ({ input, source }) => source === 'none' && !given.includes(input.name),
  );
  if (missing.length === 0) return;
  const names = missing.map(({ input }) => input.name);
  throw new CrewError(
    'INPUT_MISSING',
    `"${workflow.title}" needs an answer for ${names.join(', ')}. Answer in a terminal, on the page, for this run with --set ${names[0] ?? ''}=VALUE, or for all with: crewagent config inputs ${loaded.manifest.name} --set ${names[0] ?? ''}=VALUE`,
    { details: { names } },
  );
}

export interface WorkflowInputs {
  readonly projectId: string | undefined;
  readonly inputs: readonly ResolvedInput[];
}

/** The inputs of one workflow of a package (default: the entry workflow), or of all of them. */
export async function readInputs(
  request: {
    readonly package: string;
    readonly workflow?: string | undefined;
    readonly isAll?: boolean | undefined;
    readonly projectPath?: string | undefined;
  },
  { context, ...deps }: InputDeps & { readonly context: ValidationContext },
): Promise<WorkflowInputs> {
  const { store } = deps;
  const loaded = await loadInstalled(await pinPackage(request.package, store, context), store, context);
  const inputs = request.isAll
    ? uniqueInputs(loaded.workflows.flatMap(({ typedInputs }) => typedInputs))
    : inputsOf(resolveWorkflow(loaded, request.workflow), loaded);
  const project =
    request.projectPath === undefined ? undefined : await store.projects.find(request.projectPath);
  const path = request.projectPath && resolve(request.projectPath);
  const folder = path === undefined ? undefined : { name: basename(path), path };
  return {
    projectId: project?.projectId,
    inputs: await loadInputs(inputs, project?.projectId, deps, folder),
  };
}
