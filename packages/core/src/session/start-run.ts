/**
 * Creates runs. Everything a run is pinned to is resolved and validated before the run exists.
 */

import { basename } from 'node:path';
import type { PromptSubject, QueuedInput } from '@crewagent/protocol/event-messages';
import type { RunModel } from '@crewagent/protocol/model';
import { toPlainText } from '@crewagent/protocol/plain-text';
import type { RunRecord } from '@crewagent/protocol/run';
import type { RunLimits, Settings } from '@crewagent/protocol/settings';
import type { ApprovalPreset, SystemToolPolicy, ToolSettings } from '@crewagent/protocol/tools';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, errnoSentence } from '../base/errno.ts';
import { withoutUndefined } from '../base/optional-fields.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import type { Workflow, WorkflowPackage } from '../bmad/check/workflow-package.ts';
import { suggestName } from '../bmad/findings/similar-name.ts';
import { toPictureInput } from '../engine/context/pictures.ts';
import { formatMountPath } from '../mounts/mount-path.ts';
import { createMountedFs, type MountedFs } from '../mounts/mounted-fs.ts';
import { resolvePath } from '../mounts/resolve-path.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import type { Background } from '../prompt/background.ts';
import { requireFolder } from '../store/project-store.ts';
import type { Store } from '../store/store.ts';
import { toInputVariables } from '../workflow/resolve-inputs.ts';
import { readWorkflowState } from '../workflow/workflow-state.ts';
import { type GivenVariables, toVariables } from './given-variables.ts';
import { loadInstalled, pinPackage, resolveAgent, resolveWorkflow } from './load-workflow.ts';
import { loadBackground } from './prompt-facts.ts';
import { inputsOf, loadInputs, requireInputs } from './typed-inputs.ts';
import { findUnusedNames, type UnusedNames } from './unused-names.ts';

export interface RunRequest {
  /** A `.bmad` file, a package folder, or an installed id. */
  readonly package: string;
  readonly projectPath: string;
  readonly workflow?: string | undefined;
  readonly agent?: string | undefined;
  readonly model: RunModel;
  readonly approval?: ApprovalPreset | undefined;
  /** Used if neither the request nor the settings choose a preset; `autopilot` by default. */
  readonly usualApproval?: ApprovalPreset | undefined;
  readonly limits?: Partial<RunLimits> | undefined;
  /** The conversation the run belongs to. */
  readonly parentId?: string | undefined;
  /** Input for the first turn: data of the command, and the text that came with it. */
  readonly inputs?: readonly StartInput[] | undefined;
  /** Variables that the run starts with; those of typed inputs are valid for this run only. */
  readonly given?: GivenVariables | undefined;
  /** Called with names of given variables that nothing in the package uses. */
  readonly onUnusedNames?: ((unused: UnusedNames) => void) | undefined;
  /** Node at which it starts; the entry by default. */
  readonly startNodeId?: string | undefined;
  /** Paths of project files that a person gives to the run. */
  readonly documents?: readonly string[] | undefined;
}

/** An input with `documentPath` is a document and is listed in the state document. */
export interface StartInput {
  readonly content: string;
  readonly purpose?: 'data' | 'directive' | undefined;
  readonly label?: string | undefined;
  readonly subject?: PromptSubject | undefined;
  readonly documentPath?: string | undefined;
}

export interface StartOptions {
  readonly store: Store;
  readonly settings: Settings;
  readonly context: ValidationContext;
  readonly now: () => Date;
  readonly newId: () => string;
}

export interface StartedRun {
  readonly record: RunRecord;
  readonly loaded: WorkflowPackage;
}

export async function startRun(request: RunRequest, options: StartOptions): Promise<StartedRun> {
  const { store, context, now, newId } = options;
  const { projectId } = await store.projects.open(request.projectPath, { now, newId });
  const packageHash = await pinPackage(request.package, store, context);
  const loaded = await loadInstalled(packageHash, store, context);
  return startPinnedRun({ projectId, packageHash, loaded }, request, options);
}

export interface PinnedPackage {
  readonly projectId: string;
  readonly packageHash: string;
  readonly loaded: WorkflowPackage;
}

/** `startRun` for a project and a package that are already resolved. */
export async function startPinnedRun(
  { projectId, packageHash, loaded }: PinnedPackage,
  request: Omit<RunRequest, 'package' | 'projectPath'>,
  { store, settings, now, newId }: StartOptions,
): Promise<StartedRun> {
  const workflow = resolveWorkflow(loaded, request.workflow);
  const activeAgentId = resolveAgent(loaded, workflow, request.agent);
  const variables = await toVariables(request.given ?? {}, inputsOf(workflow, loaded));
  const unused = await findUnusedNames(Object.keys(variables), { workflow, loaded, packageHash, store });
  if (unused) request.onUnusedNames?.(unused);
  // A rehearsal asks nobody.
  if (request.model.kind !== 'rehearsal')
    await requireInputs(workflow, loaded, { projectId, store, now, given: Object.keys(variables) });
  const inputs = request.inputs ?? [];
  const tools = toToolPolicy(settings.tools, request);
  const documents = await findDocuments(request.documents ?? [], { store, projectId, tools });
  const pictures = toPictureInput('Pictures that the user gives you', documents);
  const record = await createWorkflowRun(
    {
      workflow,
      loaded,
      projectId,
      packageHash,
      activeAgentId,
      model: request.model,
      tools,
      context: settings.context,
      // Omitted limits keep the values of the settings.
      limits: { ...settings.limits, ...withoutUndefined(request.limits ?? {}) },
      parentId: request.parentId,
      variables,
      startNodeId: request.startNodeId,
      inputDocuments: [
        ...new Set([...inputs.flatMap(({ documentPath }) => documentPath ?? []), ...documents]),
      ],
      inputs: [...inputs, ...(pictures ? [pictures] : [])],
    },
    { store, now, newId },
  );
  return { record, loaded };
}

interface WorkflowRunDraft
  extends Pick<
    RunRecord,
    | 'projectId'
    | 'packageHash'
    | 'activeAgentId'
    | 'model'
    | 'tools'
    | 'context'
    | 'limits'
    | 'parentId'
    | 'call'
    | 'rerunOf'
  > {
  readonly workflow: Workflow;
  readonly loaded: WorkflowPackage;
  readonly inputDocuments: readonly string[];
  readonly inputs: readonly StartInput[];
  /** Variables and artifacts that a calling workflow passes on. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly artifacts?: readonly string[] | undefined;
  readonly startNodeId?: string | undefined;
}

/** Creates the run with its state document and the first events of its log. */
export async function createWorkflowRun(
  { workflow, loaded, inputs, variables = {}, artifacts = [], startNodeId, ...draft }: WorkflowRunDraft,
  { store, now, newId }: Pick<StartOptions, 'store' | 'now' | 'newId'>,
): Promise<RunRecord> {
  const { projectId, packageHash, activeAgentId, model, call, parentId } = draft;
  const { name, version } = loaded.manifest;
  const { ref, title, graph, result } = workflow;
  const entryNodeId = startNodeId ?? graph.entryNodeId;
  if (!workflow.nodes.has(entryNodeId))
    throw new CrewError(
      'USAGE',
      `The workflow has no node "${entryNodeId}".${suggestName(entryNodeId, workflow.nodes.keys())}`,
    );
  const stateTemplate = (await store.packages.seal(packageHash)).read(workflow.workflowPath).toString('utf8');
  const state = await readWorkflowState(stateTemplate);
  const given = {
    ...toInputVariables(await loadInputs(workflow.typedInputs, projectId, { store, now })),
    ...variables,
  };
  const passed = Object.keys(given).length > 0 ? { variables: given } : {};
  return store.works.create(
    {
      ...draft,
      ...passed,
      artifacts,
      packageName: name,
      packageVersion: version,
      workflowRef: ref,
      workflowTitle: title,
      stateTemplate,
      entryNodeId,
      blanks: toBlanks(await loadBackground(store, await store.projects.read(projectId), now)),
      firstFacts: [
        {
          type: 'run.created',
          package: { name, version, hash: packageHash },
          workflow: { ref, title, ...(result === undefined ? {} : { result }) },
          nodes: [...workflow.nodes.values()].map(({ id, title: shown, type }) => ({
            id,
            title: shown,
            type,
          })),
          entryNodeId,
          activeAgentId,
          model: toPublicModel(model),
          variables: { ...(state.ok ? state.state.variables : {}), ...given },
          ...(artifacts.length > 0 ? { artifacts: [...artifacts] } : {}),
          ...(call && parentId !== undefined
            ? { call: { parentId, nodeId: call.nodeId, depth: call.depth } }
            : {}),
        },
        ...inputs.map((input) => ({ type: 'input.queued' as const, ...toQueuedInput(input) })),
      ],
    },
    { now, newId, publishing: (publish) => store.projects.whileStays(projectId, publish) },
  );
}

/** Values for the blanks of a workflow template. */
function toBlanks({ projectName, userName, date, language = '', documentLanguage = language }: Background) {
  return {
    project_name: projectName,
    user_name: userName,
    date,
    communication_language: language,
    document_output_language: documentLanguage,
  };
}

interface DocumentSources {
  readonly store: Store;
  readonly projectId: string;
  readonly tools: Settings['tools'];
}

async function findDocuments(
  written: readonly string[],
  { store, projectId, tools }: DocumentSources,
): Promise<readonly string[]> {
  if (written.length === 0) return [];
  const { path: project } = await store.projects.read(projectId);
  await requireFolder(project);
  const isSecret = createSecretCheck(tools.fs.secretPatterns);
  return requireDocuments(written, createMountedFs({ project, pkg: undefined, state: undefined }, isSecret));
}

export function toQueuedInput({ content, purpose, label, subject }: StartInput): QueuedInput {
  return { content, purpose, label, subject };
}

/** Logs contain no paths of this machine. */
export function toPublicModel(model: RunModel): RunModel {
  return model.kind === 'replay' ? { ...model, file: basename(model.file) } : model;
}

/** The tool settings with the approval preset of the new Work. */
export function toToolPolicy(
  tools: ToolSettings,
  { approval, usualApproval = 'autopilot' }: Pick<RunRequest, 'approval' | 'usualApproval'>,
): SystemToolPolicy {
  return { ...tools, approval: approval ?? tools.approval ?? usualApproval };
}

/**
 * Validates the project documents that a person gives to a new run: each must be a file that the run's tools may read. Only
 * their paths are passed on, without duplicates; the model reads what it needs.
 */
async function requireDocuments(written: readonly string[], files: MountedFs): Promise<string[]> {
  const paths = new Set<string>();
  for (const text of written) paths.add(await requireDocument(text, files));
  return [...paths];
}

async function requireDocument(text: string, files: MountedFs): Promise<string> {
  const parsed = resolvePath(text);
  if (!parsed.ok) throw new CrewError('PermissionDenied', parsed.reason);
  const path = formatMountPath(parsed.path);
  if (parsed.path.mount !== '@project')
    throw new CrewError(
      'PermissionDenied',
      `The document "${path}" is not in the project. Choose a file of the project.`,
    );
  try {
    await files.withFile(parsed.path, () => Promise.resolve());
    return path;
  } catch (error) {
    throw toDocumentError(error, toPlainText(path));
  }
}

function toDocumentError(error: unknown, path: string): unknown {
  if (error instanceof SandboxViolation)
    return new CrewError('PermissionDenied', `The document "${path}" ${error.message}. Choose another file.`);
  switch (errnoOf(error)) {
    case undefined:
      return error;
    case 'ENOENT':
    case 'ENOTDIR':
      return new CrewError(
        'FILE_NOT_FOUND',
        `The document "${path}" does not exist. Create it, or remove it from the list.`,
      );
    case 'EISDIR':
      return new CrewError('USAGE', `The document "${path}" is a folder. Choose files in it.`);
    default:
      return new CrewError('DISK', `The document "${path}" could not be read: ${errnoSentence(error)}.`, {
        cause: error,
      });
  }
}
