/**
 * Recognises the era of a source, and its modules, workflows and agents. Every result names the file that proves it; a source
 * without such files is rejected, never guessed. Pure.
 */
import { posix } from 'node:path';
import type { SourceEra, WorkflowKind } from '@crewagent/protocol/import-report';
import { CrewError } from '../../base/crew-error.ts';
import { findStages } from './find-stages.ts';
import { findOtherKinds } from './other-kinds.ts';
import { isPersona } from './read-persona.ts';
import type { SourceTree } from './read-source.ts';
import { findCommands, hasKeys, isInSkill, isPromptAgent } from './recognise-prompts.ts';

export interface RecognisedSource {
  readonly eras: readonly { readonly era: SourceEra; readonly evidence: string }[];
  readonly modules: readonly SourceModule[];
  readonly workflows: readonly SourceWorkflow[];
  /** Files that define an agent: `.agent.yaml`, a compiled `.md`, or the `SKILL.md` of an agent skill. */
  readonly agents: readonly SourceAgent[];
}

export interface SourceModule {
  readonly code: string;
  /** Ends in `/`, or is empty for the root of the source. */
  readonly root: string;
  /** The file with the setup questions of the module. */
  readonly questions: string | undefined;
  /** The file with the answers of an installed module. */
  readonly config: string | undefined;
}

export interface SourceWorkflow {
  readonly kind: WorkflowKind;
  /** `workflow.md`, `workflow.yaml` or `SKILL.md`. */
  readonly file: string;
  /** Ends in `/`, or is empty. */
  readonly folder: string;
  readonly module: SourceModule;
  /** Step files below the folder in their order: by name, or as a table lists them. */
  readonly steps: readonly string[];
  /** Whether other workflow files are in the same folder and share its steps. */
  readonly sharesFolder: boolean;
}

export interface SourceAgent {
  readonly file: string;
  /**
   * `skill`: in its `customize.toml`; `persona`: in its text; `fenced`: in a block of YAML of its text; `prompt`: a Markdown file with a
   * name and a description.
   */
  readonly form: 'yaml' | 'compiled' | 'skill' | 'persona' | 'fenced' | 'prompt';
  readonly module: SourceModule;
}

export function recogniseSource(tree: SourceTree): RecognisedSource {
  const modules = findModules(tree);
  const moduleOf = (path: string): SourceModule | undefined =>
    modules.filter(({ root }) => path.startsWith(root)).sort((a, b) => b.root.length - a.root.length)[0];
  const agents = findAgents(tree, moduleOf);
  const workflows = findWorkflows(tree, moduleOf, new Set(agents.map(({ file }) => file)));
  const eras = findEras(tree, workflows, agents);
  if (eras.length === 0 || workflows.length + agents.length === 0) throw notRecognised(tree);
  return { eras, modules, workflows, agents };
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

const MODULE_FILE = /(?:^|\/)(?:module|_module-installer\/install-config|install-config)\.ya?ml$/;

function findModules(tree: SourceTree): SourceModule[] {
  const byRoot = new Map<string, { questions?: string; config?: string }>();
  for (const path of tree.paths) {
    if (MODULE_FILE.test(path)) {
      const root = folderOf(path).replace(/_module-installer\/$/, '');
      byRoot.set(root, { ...byRoot.get(root), questions: path });
    }
    const [, root] = /^((?:.*\/)?)config\.ya?ml$/.exec(path) ?? [];
    if (root !== undefined && isInstalledModule(root, tree)) {
      byRoot.set(root, { ...byRoot.get(root), config: path });
    }
  }
  if (byRoot.size === 0) byRoot.set('', {});
  return [...byRoot].map(([root, { questions, config }]) => ({
    code: codeOf(root, questions, tree),
    root,
    questions,
    config,
  }));
}

/** `_bmad/bmm/config.yaml`, or `bmm/config.yaml` if the source is the `_bmad` folder. */
function isInstalledModule(root: string, tree: SourceTree): boolean {
  return /(?:^|\/)_?bmad\/[^/]+\/$/.test(`${tree.name}/${root}`);
}

function codeOf(root: string, questions: string | undefined, tree: SourceTree): string {
  const [, written] = /^code:\s*["']?([\w-]+)/m.exec((questions && tree.text(questions)) ?? '') ?? [];
  return written ?? (root === '' ? tree.name : posix.basename(root));
}

type ModuleOf = (path: string) => SourceModule | undefined;

function findAgents(tree: SourceTree, moduleOf: ModuleOf): SourceAgent[] {
  return tree.paths.flatMap((file): SourceAgent[] => {
    const module = moduleOf(file);
    const form = module && agentForm(file, tree);
    return form ? [{ file, form, module }] : [];
  });
}

function agentForm(file: string, tree: SourceTree): SourceAgent['form'] | undefined {
  if (/\.agent\.ya?ml$/i.test(file)) return 'yaml';
  if (/(?:^|\/)agents\/(?:[^/]+\/)?[^/]+\.md$/.test(file) && /<agent\s/.test(tree.text(file) ?? ''))
    return 'compiled';
  if (posix.basename(file) !== 'SKILL.md') {
    if (!file.endsWith('.md') || isInSkill(file, tree)) return undefined;
    const isListed = /(?:^|\/)agents\/[^/]+$/.test(file);
    if (isListed && /^```ya?ml\n[\s\S]{0,8000}?^agent:\s*$/m.test(tree.text(file) ?? '')) return 'fenced';
    return isPromptAgent(file, tree) ? 'prompt' : undefined;
  }
  const custom = tree.text(`${folderOf(file)}customize.toml`) ?? '';
  if (/^\[agent\]/m.test(custom)) return 'skill';
  const manifest = tree.text(folderOf(file) + SKILL_MANIFEST) ?? '';
  const isAgent =
    /^type:\s*["']?agent\b/m.test(manifest) ||
    /^type\s*=\s*["']agent["']/m.test(custom) ||
    isPersona(tree.text(file) ?? '');
  return isAgent ? 'persona' : undefined;
}

export const SKILL_MANIFEST = 'bmad-skill-manifest.yaml';

function findWorkflows(
  tree: SourceTree,
  moduleOf: ModuleOf,
  agentFiles: ReadonlySet<string>,
): SourceWorkflow[] {
  const commands = findCommands(tree);
  const entries = tree.paths.flatMap((file) => {
    const isCommand = commands.has(file);
    const kind = agentFiles.has(file)
      ? undefined
      : (entryKind(file, tree) ?? (isCommand ? 'command' : undefined));
    const module = kind && moduleOf(file);
    return module ? [{ kind, file, folder: rootOf(file, kind), module }] : [];
  });
  const folders = new Set(entries.flatMap(({ folder, kind }) => (isOneFile(kind) ? [] : [folder])));
  return entries.map((entry): SourceWorkflow => {
    const steps = stepsBelow(entry, tree, folders);
    const kind = entry.kind === 'skill' && steps.length > 0 ? 'skill-steps' : entry.kind;
    const sharesFolder = entries.some(({ file, folder }) => folder === entry.folder && file !== entry.file);
    return { ...entry, kind, steps, sharesFolder };
  });
}

/** Workflows of one file share the folder above with everything that they name. */
export function isOneFile(kind: WorkflowKind): boolean {
  return kind === 'sequence' || kind === 'command' || kind === 'dag';
}

function rootOf(file: string, kind: WorkflowKind): string {
  if (!isOneFile(kind)) return folderOf(file);
  const [root] = /^(?:.*\/)?(?=(?:workflows|commands?|prompts)\/)/.exec(file) ?? [folderOf(file)];
  return root;
}

function entryKind(file: string, tree: SourceTree): WorkflowKind | undefined {
  const folder = folderOf(file);
  const name = posix.basename(file);
  if (name === 'workflow.md') return 'micro-steps';
  // A page about workflows has neither a name of its own nor steps.
  if (/^workflow-[\w-]+\.md$/.test(name)) {
    const text = tree.text(file) ?? '';
    return hasKeys(text, ['name']) || /\bsteps?[-_ ]?(?:[a-z][-_])?\d[\w-]*\.md\b/i.test(text)
      ? 'micro-steps'
      : undefined;
  }
  // A SKILL.md next to a workflow only refers to it.
  if (name === 'SKILL.md') return hasWorkflow(folder, tree) ? undefined : 'skill';
  if (
    /(?:^|\/)workflows\/[^/]+\.ya?ml$/.test(file) &&
    /^ {2,4}(?:\w+_)?sequence:/m.test(tree.text(file) ?? '')
  )
    return 'sequence';
  if (/\.ya?ml$/.test(name) && isDag(tree.text(file) ?? '')) return 'dag';
  if (!/^workflow\.ya?ml$/.test(name) || tree.has(`${folder}workflow.md`)) return undefined;
  return isClassic(file, tree) ? 'classic' : undefined;
}

/** A list `nodes` at the top whose entries have an id, and some of them a dependency. */
function isDag(text: string): boolean {
  return (
    /^nodes:[ \t]*\r?$/m.test(text) &&
    /^\s{0,4}- id: /m.test(text) &&
    /^\s{2,6}(?:depends_on|prompt|loop):/m.test(text)
  );
}

function isClassic(file: string, tree: SourceTree): boolean {
  return /^instructions:/m.test(tree.text(file) ?? '');
}

function hasWorkflow(folder: string, tree: SourceTree): boolean {
  const classic = [`${folder}workflow.yaml`, `${folder}workflow.yml`];
  return tree.has(`${folder}workflow.md`) || classic.some((file) => tree.has(file) && isClassic(file, tree));
}

/** `step-01-init.md`, `step-02b-x.md`, `step-v-01-x.md`. */
export const STEP_FILE = /(?:^|\/)steps?[-_ ]?(?:[a-z][-_])?\d[^/]*\.md$/i;
const STEP_FOLDER = /(?:^|[-_])steps?(?:[-_]|$)/i;

function stepsBelow(
  { file, folder, kind }: Pick<SourceWorkflow, 'file' | 'folder' | 'kind'>,
  tree: SourceTree,
  workflowFolders: ReadonlySet<string>,
): string[] {
  const isOwn = (path: string): boolean => {
    // Steps of a nested workflow belong to that workflow.
    for (let at = folderOf(path); at !== folder; at = folderOf(at.slice(0, -1)))
      if (workflowFolders.has(at)) return false;
    return true;
  };
  if (isOneFile(kind)) return [];
  const own = tree.paths.filter((path) => path.startsWith(folder) && path.endsWith('.md') && isOwn(path));
  const steps = own.filter((path) => {
    const between = path.slice(folder.length).split('/').slice(0, -1);
    return STEP_FILE.test(path) && (between.length === 0 || between.some((name) => STEP_FOLDER.test(name)));
  });
  return steps.length > 0 || kind === 'classic' ? steps : findStages(file, own, tree);
}

function findEras(
  tree: SourceTree,
  workflows: readonly SourceWorkflow[],
  agents: readonly SourceAgent[],
): { era: SourceEra; evidence: string }[] {
  const installed = tree.paths.find(
    (path) =>
      /(?:^|\/)_?bmad\/(?:_?config|_cfg)\/[^/]*manifest/.test(`${tree.name}/${path}`) ||
      (/(?:^|\/)config\.ya?ml$/.test(path) && isInstalledModule(folderOf(path), tree)),
  );
  const v6 = [
    ...agents.filter(({ form }) => form === 'yaml'),
    ...workflows.filter(({ kind }) => kind === 'micro-steps' || kind === 'classic'),
  ][0]?.file;
  const skills = tree.paths.filter((path) => posix.basename(path) === 'SKILL.md');
  const bmadSkill = skills.find((path) =>
    ['customize.toml', 'workflow.md', SKILL_MANIFEST].some((name) => tree.has(folderOf(path) + name)),
  );
  const fileOf = (kind: WorkflowKind, form: SourceAgent['form']): string | undefined =>
    agents.find((agent) => agent.form === form)?.file ??
    workflows.find((workflow) => workflow.kind === kind)?.file;
  const found: [SourceEra, string | undefined][] = [
    ['bmad-installed', installed],
    ['bmad-v6', installed === undefined && bmadSkill === undefined ? v6 : undefined],
    ['bmad-skills', bmadSkill],
    ['agent-skills', bmadSkill === undefined ? skills[0] : undefined],
    ['bmad-v4', fileOf('sequence', 'fenced')],
    ['commands', fileOf('command', 'prompt') ?? fileOf('dag', 'prompt')],
  ];
  return found.flatMap(([era, evidence]) => (evidence === undefined ? [] : [{ era, evidence }]));
}

function notRecognised(tree: SourceTree): CrewError {
  const message = tree.has('bmad.json')
    ? `"${tree.name}" is already a package. Install it with "crewagent packages add".`
    : `"${tree.name}" contains nothing that can be imported: ${describeContents(tree)}. Use the folder of a BMAD module, an installed _bmad folder, or a folder of skills, agents or commands.`;
  return new CrewError('USAGE', message, { details: { findings: tree.findings } });
}

/** What the source has instead, with an example. */
function describeContents(tree: SourceTree): string {
  const others = findOtherKinds(tree, new Set());
  const [other] = others;
  const pages = tree.paths.filter((path) => /\.md$/i.test(path) && !/^readme/i.test(posix.basename(path)));
  if (other) return `it has ${other.what}, which are not imported (${list(others.map(({ file }) => file))})`;
  const nothing = 'no workflow, no agent, no skill and no command with a description';
  if (pages.length === 0) return nothing;
  return `${nothing}; its pages do not say what they are (${list(pages)})`;
}

function list(files: readonly string[]): string {
  return files.slice(0, 2).join(', ') + (files.length > 2 ? ` and ${files.length - 2} more` : '');
}
