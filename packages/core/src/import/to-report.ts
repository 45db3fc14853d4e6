/** The report of a conversion: what was found, how certain it is, what was not carried over, and the lines each is based on. Pure. */
import type { Evidence, ImportReport } from '@crewagent/protocol/import-report';
import { findCapabilities } from './find-capabilities.ts';
import { toNotCarriedOver, toVerdict } from './not-carried-over.ts';
import { findLicence } from './package-files.ts';
import { clip } from './source/import-notes.ts';
import type { ImportScope } from './source/import-scope.ts';
import type { WorkflowDraft } from './source/package-draft.ts';
import type { SourceTree } from './source/read-source.ts';
import type { RecognisedSource } from './source/recognise-source.ts';
import { findPlaceless } from './steps/step-outputs.ts';
import { toAttention } from './to-attention.ts';

export function toReport(
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
    notCarriedOver: toNotCarriedOver(report, findPlacelessOutputs(workflows, scope)),
    workflows: listed.map((workflow, index) => ({
      ...workflow,
      verdict: toVerdict(workflow, report, new Set(workflows[index]?.sourceFiles)),
    })),
  };
  return { ...judged, attention: toAttention(judged) };
}

function findPlacelessOutputs(
  workflows: readonly WorkflowDraft[],
  { tree, isConfigured }: ImportScope,
): Evidence[] {
  return workflows.flatMap(({ sourceFiles, variables }) =>
    sourceFiles.flatMap((file) =>
      findPlaceless(
        tree.text(file) ?? '',
        variables,
        (name) => isConfigured(name) || Object.hasOwn(variables, name) || PACKAGE_ROOTS.has(name),
      ).map(({ line, text }) => ({ file, line, text: clip(text, 300) })),
    ),
  );
}

/** Folders of the package and of the project. */
const PACKAGE_ROOTS: ReadonlySet<string> = new Set([
  'project-root',
  'skill-root',
  'installed_path',
  'workflow_path',
  'root',
]);

/** Cites lines as the author wrote them, also where a token was replaced. */
export function withWrittenLines(report: ImportReport, { text: textOf }: SourceTree): ImportReport {
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
