/**
 * Validates a whole package: every document against its schema, then the documents against each other. Lists all findings;
 * returns the package only if there are no errors.
 */
import { type AgentsDocument, agentsDocumentSchema } from '@crewagent/protocol/agents';
import { type BmadManifest, bmadManifestSchema } from '@crewagent/protocol/bmad';
import { findMenu } from '../../base/letter-menu.ts';
import { markdownLines } from '../../base/named-files.ts';
import { printable } from '../archive/entry-rules.ts';
import { describeClassic, findClassicFile, isClassicWorkflow } from '../archive/open-package.ts';
import type { PackageFiles } from '../archive/package-files.ts';
import type { Findings } from '../findings/findings.ts';
import { isOtherFormat, unsupportedFormat } from '../findings/schema-findings.ts';
import { checkAgents } from './check-agents.ts';
import { checkCalls } from './check-calls.ts';
import { checkReferences } from './check-references.ts';
import { compareVersions } from './compare-versions.ts';
import { checkUnique, requireFile } from './package-rules.ts';
import { readAbout } from './read-about.ts';
import { checkSchema, parseLeniently, readJson } from './read-document.ts';
import type { LocatedText } from './read-steps.ts';
import {
  type LoadedWorkflow,
  readWorkflows,
  type WorkflowFiles,
  type WorkflowSources,
} from './read-workflows.ts';
import { readUnlisted } from './unlisted-workflows.ts';
import { toPackagePath, type Workflow, type WorkflowPackage } from './workflow-package.ts';

export interface ValidationContext {
  /** Version of this runtime, for packages that need a newer one. */
  readonly runtimeVersion: string;
  /** MCP servers configured on this machine. */
  readonly knownServers: Pick<ReadonlySet<string>, 'has'>;
}

export async function validatePackage(
  files: PackageFiles,
  context: ValidationContext,
  findings: Findings,
): Promise<WorkflowPackage | undefined> {
  if (!files.paths.has('bmad.json')) {
    addNotAPackage(files, findings);
    return undefined;
  }
  const manifest = await readManifest(files, context, findings);
  if (!manifest) return undefined;

  const about = await readAbout(files, context.runtimeVersion, findings);
  const agents = await readAgents(files, toPackagePath(manifest.entry.agents), findings);
  const ids = new Set(agents?.agents.map((agent) => agent.id));
  // A reference may be to an agent that cannot be read; a list without agents is already reported.
  const agentIds = ids.size > 0 && !ids.has('') ? ids : undefined;
  const listed = workflowsOf(manifest);
  const sources = { files, agentIds, findings, listed };
  const workflows = await readAllWorkflows(listed, sources);
  checkCalls(workflows, findings);
  const workflowIds = new Set(manifest.workflows.map((workflow) => workflow.id));
  const agentsFile = toPackagePath(manifest.entry.agents);
  if (agents) checkAgents(agents, agentsFile, { files, workflowIds, context }, findings);
  const { assetsDir } = manifest.entry;
  const located = agents && { file: agentsFile, document: agents };
  adviseProof(workflows, findings);
  await checkReferences({ files, workflows, agents: located, assetsDir }, findings);
  if (findings.hasErrors || !agents) return undefined;
  return { manifest, about, agents: agents.agents, workflows: workflows.map(toWorkflow) };
}

/** Without the texts, which only checks need. */
function toWorkflow({ document: _, steps: __, called: ___, ...workflow }: LoadedWorkflow): Workflow {
  return workflow;
}

/** The listed workflows, those they call, and those that can be started by their path. */
async function readAllWorkflows(
  listed: readonly WorkflowFiles[],
  sources: WorkflowSources,
): Promise<LoadedWorkflow[]> {
  const workflows: LoadedWorkflow[] = [];
  const known = new Map(listed.map((workflow) => [workflow.ref, workflow]));
  // What is called is part of the package: an error in it refuses the package.
  for (let next = [...listed]; next.length > 0; ) {
    const found = await readWorkflows(next, sources);
    workflows.push(...found);
    const called = new Map(found.flatMap((workflow) => workflow.called.map((one) => [one.ref, one])));
    next = [...called.values()]
      .filter(({ ref }) => !known.has(ref))
      .map((files) => ({ ...files, pointer: '' }));
    for (const one of next) known.set(one.ref, one);
  }
  return [...workflows, ...(await readUnlisted([...known.values()], sources))];
}

async function readManifest(
  files: PackageFiles,
  context: ValidationContext,
  findings: Findings,
): Promise<BmadManifest | undefined> {
  const file = 'bmad.json';
  const document = await readJson(files, file, findings);
  if (!document) return guessManifest(files.paths);
  const version = fieldOf(document.value, 'schemaVersion');
  if (isOtherFormat(version)) {
    // The rules of this format do not apply to the rest of the package.
    findings.add('FORMAT_UNSUPPORTED', { file, pointer: '/schemaVersion', ...unsupportedFormat(version) });
    return undefined;
  }
  const classic = findClassicEntry(document.value);
  if (classic) {
    // The rest of the package was not written for this format either.
    const { pointer, path } = classic;
    findings.add('CLASSIC_BMAD', { file, pointer, ...describeClassic(`"${printable(path)}"`) });
    return undefined;
  }
  const manifest = checkSchema(bmadManifestSchema, { file, value: document.value }, findings);
  const ids = manifest.workflows.map(({ id }) => id);
  checkUnique(ids, { file, list: '/workflows', what: 'workflow' }, findings);
  if (manifest.integrity?.sha256) {
    findings.add('INTEGRITY_IGNORED', {
      file,
      pointer: '/integrity/sha256',
      message: 'a package cannot contain its own checksum, so this one is not checked',
      fix: 'Publish the checksum next to the package instead.',
    });
  }
  const required = manifest.runtime?.minRuntimeVersion;
  if (required && compareVersions(required, context.runtimeVersion) > 0) {
    findings.add('RUNTIME_TOO_OLD', {
      file,
      pointer: '/runtime/minRuntimeVersion',
      message: `the package requires CrewAgent ${required.slice(0, 40)} or later; this is ${context.runtimeVersion}`,
      fix: 'Update CrewAgent if the package does not work as described.',
    });
  }
  return findings.hasErrors ? fillPaths(manifest, files.paths) : manifest;
}

const USUAL_PATHS = { workflow: 'workflow.md', graph: 'workflow.graph.json', agents: 'agents.json' } as const;

/** The documents under their usual names, for a manifest that cannot be read, so that they can still be validated. */
function guessManifest(paths: ReadonlySet<string>): BmadManifest {
  const workflows = [...paths]
    .filter((path) => path.endsWith('/workflow.graph.json'))
    .map((graph) => ({ id: '', workflow: graph.replace(/graph\.json$/, 'md'), graph, tags: [] }));
  return fillPaths(parseLeniently(bmadManifestSchema, { workflows }), paths);
}

/** Fills missing paths of the manifest with the usual files, if they exist. */
function fillPaths(manifest: BmadManifest, paths: ReadonlySet<string>): BmadManifest {
  const usual = (key: keyof typeof USUAL_PATHS): string =>
    manifest.entry[key] || (paths.has(USUAL_PATHS[key]) ? USUAL_PATHS[key] : '');
  const [workflow, graph, agents] = [usual('workflow'), usual('graph'), usual('agents')];
  return { ...manifest, entry: { ...manifest.entry, workflow, graph, agents } };
}

/** Finds a classic workflow named as the entry of a manifest, valid or not. */
function findClassicEntry(manifest: unknown): { pointer: string; path: string } | undefined {
  const entry = fieldOf(manifest, 'entry');
  const [pointer, path] =
    typeof entry === 'string' ? ['/entry', entry] : ['/entry/workflow', fieldOf(entry, 'workflow')];
  return typeof path === 'string' && isClassicWorkflow(path) ? { pointer, path } : undefined;
}

async function readAgents(
  files: PackageFiles,
  file: string,
  findings: Findings,
): Promise<AgentsDocument | undefined> {
  if (!requireFile(file, '/entry/agents', files, findings)) return undefined;
  const document = await readJson(files, file, findings);
  return document && checkSchema(agentsDocumentSchema, { file, value: document.value }, findings);
}

/** The entry workflow and the listed workflows, each once. */
function workflowsOf(manifest: BmadManifest): WorkflowFiles[] {
  const entry = {
    ref: toPackagePath(manifest.entry.workflow),
    title: manifest.name,
    description: manifest.description,
    workflowPath: toPackagePath(manifest.entry.workflow),
    graphPath: toPackagePath(manifest.entry.graph),
    pointer: '/entry',
  };
  const listed = manifest.workflows.map((workflow, index) => ({
    ref: workflow.id,
    title: workflow.id,
    displayName: workflow.displayName?.trim() || undefined,
    description: workflow.description,
    workflowPath: toPackagePath(workflow.workflow),
    graphPath: toPackagePath(workflow.graph),
    pointer: `/workflows/${index}`,
  }));
  const isEntry = (workflow: WorkflowFiles): boolean =>
    workflow.workflowPath === entry.workflowPath && workflow.graphPath === entry.graphPath;
  const first = listed.find(isEntry) ?? entry;
  return [first, ...listed.filter((workflow) => workflow !== first)];
}

function addNotAPackage(files: PackageFiles, findings: Findings): void {
  const paths = [...files.paths];
  const nested = paths.find((path) => /^[^/]+\/bmad\.json$/.test(path));
  const classic = findClassicFile(paths);
  if (nested) {
    findings.add('NOT_A_PACKAGE', {
      file: 'bmad.json',
      message: `there is no bmad.json at the top level; there is one in "${nested.split('/')[0]}/"`,
      fix: 'Pack the contents of that folder, not the folder itself ("crewagent pack DIR" does this).',
    });
  } else if (classic) {
    findings.add('CLASSIC_BMAD', { file: classic, ...describeClassic('this') });
  } else {
    findings.add('NOT_A_PACKAGE', {
      file: 'bmad.json',
      message: 'there is no bmad.json, so this is not a .bmad package',
      fix: 'Use the folder or archive that contains bmad.json; "crewagent new DIR" creates a new package.',
    });
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

const WRITES =
  /(?:\b(?:write|save|append|create|update|fs\.write)\b|写入|保存|创建|追加).*?(@project\/[\w{}./-]+\.\w{1,5}|(?<![\w/])artifacts\/[\w{}./-]+\.\w{1,5})/i;

/**
 * Advice for steps that a run can leave without having done anything: their text shows a menu or asks for a file, and their
 * frontmatter declares neither `waits` nor `produces` nor `outputs`.
 */
function adviseProof(workflows: readonly LoadedWorkflow[], findings: Findings): void {
  const seen = new Set<string>();
  for (const { nodes, steps } of workflows) {
    for (const [id, step] of steps) {
      const node = nodes.get(id);
      if (!node || seen.has(step.file) || node.subworkflow !== undefined) continue;
      seen.add(step.file);
      const hasFiles = node.outputs.length > 0 || (node.proof?.produces.length ?? 0) > 0;
      const menu = node.proof?.waits || hasFiles ? [] : findMenu(step.body.text);
      const file = hasFiles || node.proof?.waits ? undefined : findWrittenFile(step.body);
      if (menu.length > 0)
        findings.add('NOTHING_TO_PROVE', {
          file: step.file,
          message: `the step shows a menu (${menu.map(({ code }) => `[${code}]`).join(' ')}), but a run can leave it without anybody having answered`,
          fix: `Add to its frontmatter: waits: {for: choice, options: [${menu.map(({ code }) => code).join(', ')}]}`,
        });
      else if (file)
        findings.add('NOTHING_TO_PROVE', {
          file: step.file,
          line: file.line,
          message: `the step asks for "${file.path}", but a run can leave it without that file`,
          fix: `Add to its frontmatter: produces: [{path: ${file.path.replace(/^@project\//, '')}}]`,
        });
    }
  }
}

function findWrittenFile({ text, firstLine }: LocatedText): { path: string; line: number } | undefined {
  for (const { text: line, line: number, code } of markdownLines(text, firstLine)) {
    const [, path] = (code === undefined && line.length < 2_000 && WRITES.exec(line)) || [];
    if (path !== undefined) return { path, line: number };
  }
  return undefined;
}
