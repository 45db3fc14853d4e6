/**
 * Converts a source to the files of a package and a report. Reads only the given tree and executes nothing; deterministic.
 */
import { posix } from 'node:path';
import type { ImportReport } from '@crewagent/protocol/import-report';
import { CrewError } from '../base/crew-error.ts';
import { type ConvertedAgent, convertAgents } from './convert-agents.ts';
import { convertClassic } from './convert-classic.ts';
import { convertDag } from './convert-dag.ts';
import { convertSequence } from './convert-sequence.ts';
import { convertSkill } from './convert-text.ts';
import { OTHER_KIND } from './not-carried-over.ts';
import { type PackageContents, toPackageFiles } from './package-files.ts';
import { readCustomization } from './source/customization.ts';
import { createImportNotes } from './source/import-notes.ts';
import { createImportScope, type ImportScope } from './source/import-scope.ts';
import { readModuleConfig } from './source/module-questions.ts';
import { findOtherKinds } from './source/other-kinds.ts';
import { addUniqueId, toId, type WorkflowDraft } from './source/package-draft.ts';
import { findRawTokens } from './source/raw-tokens.ts';
import type { SourceTree } from './source/read-source.ts';
import {
  isOneFile,
  type RecognisedSource,
  recogniseSource,
  type SourceAgent,
  type SourceWorkflow,
} from './source/recognise-source.ts';
import { lineOf } from './source/resolve-reference.ts';
import { parseSourceDocument, parseSourceYaml, textField } from './source/source-yaml.ts';
import { convertSteps, entryFileOf } from './steps/step-files.ts';
import { toReport, withWrittenLines } from './to-report.ts';

export interface ConvertOptions {
  /** Converts this module only; files of other modules are still resolved if it refers to them. */
  readonly module?: string | undefined;
  /** Converts these workflows only, by id. */
  readonly workflows?: readonly string[] | undefined;
  /** Default: the module, or the source. */
  readonly packageName?: string | undefined;
}

export interface Converted {
  readonly files: PackageContents;
  readonly report: ImportReport;
}

export function convertSource(written: SourceTree, options: ConvertOptions = {}): Converted {
  const notes = createImportNotes();
  const customization = readCustomization(written, notes);
  const { tree } = customization;
  const source = recogniseSource(tree);
  const config = readModuleConfig(source.modules, tree, notes);
  const named = chooseWorkflows(source, tree, options);
  const scope = createImportScope({
    notes,
    modules: source.modules,
    config,
    customization,
    workflows: named,
  });
  const entries = new Map(
    named.flatMap(({ id, workflow }) => {
      const file = entryFileOf(workflow, scope);
      return file === undefined ? [] : [[file, id] as const];
    }),
  );
  const workflows = named.map(({ id, workflow }) => convertWorkflow(workflow, id, scope, entries));
  const chosen = source.agents.filter(
    ({ module }) => options.module === undefined || module.code === options.module,
  );
  const agents = convertAgents(chosen, scope);
  const name = toId(
    options.packageName ??
      options.module ??
      (source.modules.length === 1 ? source.modules[0]?.code : undefined) ??
      tree.name,
  );
  const description = named.length === 1 ? workflows[0]?.description : undefined;
  noteUnknownVariables(workflows, scope);
  noteRawTokens(workflows, agents, scope);
  const files = toPackageFiles({ name, description, workflows, agents }, scope);
  noteOtherKinds(workflows, agents, scope);
  const counts = { workflows: workflows.length, agents: Math.max(1, agents.length), files: files.size };
  const report = toReport(source, scope, workflows, { name, ...counts });
  return { files, report: withWrittenLines(report, written) };
}

function convertWorkflow(
  workflow: SourceWorkflow,
  id: string,
  scope: ImportScope,
  entries: ReadonlyMap<string, string>,
): WorkflowDraft {
  if (workflow.kind === 'classic') return convertClassic(workflow, id, scope);
  if (workflow.kind === 'sequence') return convertSequence(workflow, id, scope);
  if (workflow.kind === 'dag') return convertDag(workflow, id, scope);
  return workflow.steps.length > 0
    ? convertSteps(workflow, id, scope, entries)
    : convertSkill(workflow, id, scope);
}

interface NamedWorkflow {
  readonly id: string;
  readonly workflow: SourceWorkflow;
}

function chooseWorkflows(
  source: RecognisedSource,
  tree: SourceTree,
  { module, workflows }: ConvertOptions,
): NamedWorkflow[] {
  const codes = source.modules.map(({ code }) => code);
  if (module !== undefined && !codes.includes(module))
    throw new CrewError('USAGE', `The source has no module "${module}"; it has ${codes.join(', ')}.`);
  const usedIds = new Set<string>();
  const named = source.workflows
    .filter((workflow) => module === undefined || workflow.module.code === module)
    .map((workflow): NamedWorkflow => ({ id: addUniqueId(nameOf(workflow, tree), usedIds), workflow }));
  const unknown = (workflows ?? []).find((id) => !usedIds.has(id));
  if (unknown !== undefined)
    throw new CrewError(
      'WORKFLOW_NOT_FOUND',
      `The source has no workflow "${unknown}"; it has ${[...usedIds].join(', ')}.`,
    );
  const chosen = workflows?.length ? named.filter(({ id }) => workflows.includes(id)) : named;
  if (chosen.length === 0)
    throw new CrewError(
      'USAGE',
      describeAgents(source.agents.filter((agent) => module === undefined || agent.module.code === module)),
    );
  return chosen;
}

function describeAgents(agents: readonly SourceAgent[]): string {
  const [first, ...others] = agents.map(({ file }) => file);
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const found = first === undefined ? 'no workflow' : `agents (${first}${more}) but no workflow`;
  return `The source has ${found}; a package needs at least one workflow. Import the folder above if it is there.`;
}

/** The author's name for the workflow: from the file, else the name of the file or folder. */
function nameOf({ file, kind, folder }: SourceWorkflow, tree: SourceTree): string {
  const text = tree.text(file) ?? '';
  // Repairs are reported when the workflow is converted.
  const silent = createImportNotes();
  const fields =
    kind === 'classic' || kind === 'sequence' || kind === 'dag'
      ? parseSourceYaml(text, file, silent)?.fields
      : parseSourceDocument(text, file, silent).fields;
  const own = isOneFile(kind)
    ? posix.basename(file).replace(/(?:\.prompt)?\.\w+$/, '')
    : /workflow-([\w-]+)\.md$/.exec(file)?.[1];
  const fallback = own ?? folder.split('/').at(-2) ?? tree.name;
  return toId((fields && textField(fields, 'name')) ?? fallback).toLowerCase();
}

/** Reports variables at the start of a path that no question, config or key defines. */
function noteUnknownVariables(
  workflows: readonly WorkflowDraft[],
  { tree, notes, isConfigured }: ImportScope,
): void {
  for (const { sourceFiles, variables } of workflows) {
    const keys = new Set([...KNOWN_ROOTS, ...Object.keys(variables)]);
    for (const file of sourceFiles)
      for (const [, key = ''] of (tree.text(file) ?? '').matchAll(/^([A-Za-z_][\w-]{0,80}):/gm))
        keys.add(key);
    for (const file of sourceFiles)
      (tree.text(file) ?? '').split('\n').forEach((text, index) => {
        for (const [written, name = ''] of text
          .slice(0, 4_000)
          .matchAll(/(?<!\{)\{([a-z][a-z_]{2,60})\}(?=\/)/g))
          if (!keys.has(name) && !isConfigured(name))
            notes.addUnresolved(
              written,
              { file, line: index + 1, text },
              'No question, config or key defines it.',
            );
      });
  }
}

/** Reports tokens that another tool would have replaced in the texts that a model reads. */
function noteRawTokens(
  workflows: readonly WorkflowDraft[],
  agents: readonly ConvertedAgent[],
  { tree, notes }: ImportScope,
): void {
  const texts = [
    ...workflows.flatMap(({ body, nodes, sourceFiles }) =>
      [body, ...nodes.map((node) => node.body)].map((text) => ({ text, files: sourceFiles })),
    ),
    ...agents.map(({ agent, file }) => ({
      text: Object.values(agent.persona).flat().join('\n'),
      files: [file],
    })),
  ];
  for (const { text, files } of texts)
    for (const token of findRawTokens(text, tree.paths)) {
      const file = files.find((path) => tree.text(path)?.includes(token)) ?? files[0] ?? '';
      notes.addUnresolved(
        token,
        { file, line: lineOf(tree.text(file) ?? '', token) },
        'Nothing here replaces it.',
      );
    }
}

/** Reports what is not imported, and the agent that is added if the source has none. */
function noteOtherKinds(
  workflows: readonly WorkflowDraft[],
  agents: readonly ConvertedAgent[],
  { tree, notes, assets }: ImportScope,
): void {
  const made = workflows.flatMap(({ origin, sourceFiles, files }) => [
    origin.file,
    ...sourceFiles,
    ...files.values(),
  ]);
  const carried = new Set([...made, ...agents.map(({ file }) => file), ...assets.values()]);
  for (const { file, what } of findOtherKinds(tree, carried))
    notes.add(OTHER_KIND, 'dropped', { file }, `Not imported: ${what}.`);
  if (agents.length === 0)
    notes.add(
      'agent',
      'inferred',
      { file: workflows[0]?.origin.file ?? '' },
      'The source has no agent; "Assistant" was added.',
    );
}

const KNOWN_ROOTS = [
  'root',
  'installed_path',
  'workflow_path',
  'output_folder',
  'date',
  'user_name',
  'project_name',
];
