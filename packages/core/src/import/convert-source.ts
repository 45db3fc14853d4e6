/**
 * Converts a source to the files of a package and a report. Reads only the given tree and executes nothing; deterministic.
 */
import { posix } from 'node:path';
import {
  CAPABILITIES,
  type CapabilityRequest,
  type Evidence,
  type ImportReport,
} from '@crewagent/protocol/import-report';
import { CrewError } from '../base/crew-error.ts';
import { convertAgents } from './convert-agents.ts';
import { convertClassic } from './convert-classic.ts';
import { convertSequence } from './convert-sequence.ts';
import { convertSkill } from './convert-text.ts';
import { toNotCarriedOver, toVerdict } from './not-carried-over.ts';
import { findLicence, type PackageContents, toPackageFiles } from './package-files.ts';
import { readCustomization } from './source/customization.ts';
import { clip, createImportNotes, toPosition } from './source/import-notes.ts';
import { createImportScope, type ImportScope } from './source/import-scope.ts';
import { readModuleConfig } from './source/module-questions.ts';
import { addUniqueId, toId, type WorkflowDraft } from './source/package-draft.ts';
import type { SourceTree } from './source/read-source.ts';
import {
  isOneFile,
  type RecognisedSource,
  recogniseSource,
  type SourceWorkflow,
} from './source/recognise-source.ts';
import { parseSourceDocument, parseSourceYaml, textField } from './source/source-yaml.ts';
import { convertSteps, entryFileOf } from './steps/step-files.ts';
import { toAttention } from './to-attention.ts';

export interface ConvertOptions {
  /** Converts this module only; files of other modules are still resolved if it refers to them. */
  readonly module?: string | undefined;
  /** Converts these workflows only, by id. */
  readonly workflows?: readonly string[] | undefined;
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
    options.module ?? (source.modules.length === 1 ? source.modules[0]?.code : undefined) ?? tree.name,
  );
  const description = named.length === 1 ? workflows[0]?.description : undefined;
  noteUnknownVariables(workflows, scope);
  const files = toPackageFiles({ name, description, workflows, agents }, scope);
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
      'The source has agents but no workflow; a package needs at least one workflow.',
    );
  return chosen;
}

/** The author's name for the workflow: from the file, else the name of the file or folder. */
function nameOf({ file, kind, folder }: SourceWorkflow, tree: SourceTree): string {
  const text = tree.text(file) ?? '';
  // Repairs are reported when the workflow is converted.
  const silent = createImportNotes();
  const fields =
    kind === 'classic' || kind === 'sequence'
      ? parseSourceYaml(text, file, silent)?.fields
      : parseSourceDocument(text, file, silent).fields;
  const own = isOneFile(kind)
    ? posix.basename(file).replace(/\.\w+$/, '')
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

const KNOWN_ROOTS = [
  'root',
  'installed_path',
  'workflow_path',
  'output_folder',
  'date',
  'user_name',
  'project_name',
];

function toReport(
  source: RecognisedSource,
  scope: ImportScope,
  workflows: readonly WorkflowDraft[],
  counts: ImportReport['package'],
): ImportReport {
  const { tree, notes } = scope;
  const licence = findLicence(scope);
  const listed = workflows.map(({ id, origin, nodes, edges, droppedMoves }) => ({
    id,
    kind: origin.kind,
    source: origin.file,
    nodes: nodes.length,
    edges: [...edges, ...droppedMoves].map(({ from, to, label, certainty, evidence }) => ({
      from,
      to,
      label,
      certainty,
      evidence: [...evidence],
    })),
  }));
  const texts = workflows.flatMap(({ sourceFiles, files }) => [...sourceFiles, ...files.values()]);
  const read = [...new Set([...texts, ...scope.assets.values()])]
    .filter((file) => /\.(?:md|xml)$/.test(file))
    .map((file) => ({ file, text: tree.text(file) ?? '' }));
  const report: ImportReport = {
    schemaVersion: '1',
    source: {
      name: tree.name,
      eras: [...source.eras],
      modules: source.modules.map(({ code }) => code),
      licence: licence === undefined ? undefined : describeLicence(tree.text(licence) ?? ''),
    },
    package: counts,
    attention: [],
    totals: { constructs: count(notes.constructs), edges: count(listed.flatMap(({ edges }) => edges)) },
    workflows: listed,
    constructs: [...notes.constructs],
    unresolved: [...notes.unresolved],
    capabilities: findCapabilities(read),
    repairs: [...notes.repairs],
    findings: [...tree.findings],
    inputs: [...scope.config.inputs],
    edits: { kept: [], merged: [], conflicts: [] },
  };
  const judged: ImportReport = {
    ...report,
    notCarriedOver: toNotCarriedOver(report),
    workflows: listed.map((workflow, index) => ({
      ...workflow,
      verdict: toVerdict(workflow, report, new Set(workflows[index]?.sourceFiles)),
    })),
  };
  return { ...judged, attention: toAttention(judged) };
}

/** Cites lines as the author wrote them, also where a token was replaced. */
function withWrittenLines(report: ImportReport, { text: textOf }: SourceTree): ImportReport {
  const lines = new Map<string, readonly string[]>();
  const cite = <Cited extends Evidence>(cited: Cited): Cited => {
    if (cited.line === undefined || cited.text === undefined) return cited;
    const known = lines.get(cited.file) ?? (textOf(cited.file) ?? '').split('\n');
    lines.set(cited.file, known);
    const written = known[cited.line - 1]?.trim();
    return written !== undefined &&
      /\{\{\s?\.|\{[a-z]\w*\.[a-z]\w*\}|\[\[[a-z]|\$ARGUMENTS|\{(?:SCRIPT|ARGS)\}/.test(written)
      ? { ...cited, text: clip(written, 300) }
      : cited;
  };
  return {
    ...report,
    constructs: report.constructs.map(cite),
    unresolved: report.unresolved.map(cite),
    workflows: report.workflows.map((workflow) => ({
      ...workflow,
      edges: workflow.edges.map((edge) => ({ ...edge, evidence: edge.evidence.map(cite) })),
    })),
  };
}

function count(entries: readonly { certainty: 'exact' | 'inferred' | 'dropped' }[]) {
  const of = (expected: string): number => entries.filter(({ certainty }) => certainty === expected).length;
  return { exact: of('exact'), inferred: of('inferred'), dropped: of('dropped') };
}

function describeLicence(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const title = lines.find((line) => line !== '') ?? 'LICENSE';
  const holder = lines.find((line) => /^copyright/i.test(line));
  return [title, ...(holder === undefined || holder === title ? [] : [holder])].join(', ').slice(0, 200);
}

const PATTERNS: Readonly<Record<(typeof CAPABILITIES)[number], RegExp>> = {
  shell:
    /\b(?:run|execute|using)\b[^`\n]{0,60}`(?:git|npm|npx|uv|python3?|bash|sh|node|pip|curl|make) [^`]{1,200}`|`(?:git|npx|uv run|python3?) [^`]{1,200}`|\bshell command/i,
  web: /\bweb[- ]?(?:search|research|fetch)\b|\bsearch(?:es|ing)? the (?:web|internet)\b|\bbrowse the web\b|\bWebSearch\b/i,
  'sub-agents': /\bsub-?agents?\b|\bsub-?process(?:es)?\b|\bTask tool\b|\bin parallel agents\b/i,
  memory: /\b_memory\/|\bsidecar\b|\bmemlog\b|\bagent memory\b/i,
};

const FALLBACK =
  /\b(?:if|when|where)\b[^.\n]{0,80}\b(?:not (?:available|possible|supported)|unavailable|fails?|cannot)\b|\bfallback\b|\bon failure\b|\bif no [\w-]+ (?:tool )?(?:is )?available\b|\bwhen available\b|\bif available\b/i;

/** "Never start a subagent": the text does without it. */
const NEGATION = /\b(?:do not|don't|never|without|avoid|no)\b[^.;]{0,40}$/i;

const MAX_EXAMPLES = 5;

/**
 * Capabilities the source text relies on that a runtime may not have: a shell, the web, sub-agents, memory. Quotes a
 * fallback the text offers nearby.
 */
function findCapabilities(files: readonly { file: string; text: string }[]): CapabilityRequest[] {
  const found = new Map<string, { count: number; places: Evidence[]; fallback?: Evidence }>();
  for (const { file, text } of files) {
    const lines = text.split('\n');
    lines.forEach((line, index) => {
      if (line.length > 4_000) return;
      for (const capability of CAPABILITIES) {
        const match = PATTERNS[capability].exec(line);
        if (!match || NEGATION.test(line.slice(Math.max(0, match.index - 60), match.index))) continue;
        const entry = found.get(capability) ?? { count: 0, places: [] };
        found.set(capability, entry);
        entry.count++;
        const at = toPosition({ file, line: index + 1, text: line });
        if (entry.places.length < MAX_EXAMPLES) entry.places.push(at);
        const near = [index, index + 1, index + 2].find((at) =>
          FALLBACK.test((lines[at] ?? '').slice(0, 4_000)),
        );
        if (near !== undefined)
          entry.fallback ??= toPosition({ file, line: near + 1, text: lines[near] ?? '' });
      }
    });
  }
  return CAPABILITIES.flatMap((capability) => {
    const entry = found.get(capability);
    return entry ? [{ capability, ...entry }] : [];
  });
}
