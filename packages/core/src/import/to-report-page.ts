/**
 * The report of an import as Markdown. Source text is in code spans, so that it cannot act as formatting. Pure.
 */
import type { Evidence, ImportReport, LostPart } from '@crewagent/protocol/import-report';
import { toPlainText } from '@crewagent/protocol/plain-text';
import { describeChanges } from '../bmad/compare-packages.ts';

export function toReportPage(report: ImportReport): string {
  const { source, totals, attention, edits, checks } = report;
  const eras = source.eras.map(({ era, evidence }) => `${era} (shown by ${code(evidence)})`).join(', ');
  return [
    `# Import of ${code(source.name)}`,
    '',
    `- Era: ${eras}`,
    `- Modules: ${source.modules.map(code).join(', ')}`,
    ...(source.git ? [`- Repository: ${code(toRepository(source.git))}`] : []),
    `- Licence: ${source.licence === undefined ? 'none found' : code(source.licence)}`,
    `- Package: ${report.package.workflows} workflows, ${report.package.agents} agents, ${report.package.files} files`,
    `- Constructs: ${describe(totals.constructs)}`,
    `- Edges: ${describe(totals.edges)}`,
    ...(checks ? [`- Checks: ${describeChecks(checks)}`] : []),
    ...section(
      'Check first',
      attention.map((line) => `- ${plain(line)}`),
    ),
    ...section(
      'Changed by the last update',
      report.changes
        ? [
            `${code(report.changes.from)} → ${code(report.changes.to)}`,
            '',
            ...describeChanges(report.changes).map((sentence) => `- ${plain(sentence)}`),
          ]
        : [],
    ),
    ...section(
      'Not carried over',
      (report.notCarriedOver ?? []).map(
        ({ what, count, of, examples }) =>
          `- ${count}${of === undefined ? '' : ` of ${of}`} ${LOST_TEXTS[what]}: ${examples
            .map((entry) => `${at(entry)}${entry.text === undefined ? '' : ` ${code(entry.text)}`}`)
            .join(', ')}${count > examples.length ? ` and ${count - examples.length} more` : ''}`,
      ),
    ),
    ...report.workflows.flatMap(toWorkflow),
    ...section(
      'Unresolved references',
      report.unresolved.map((entry) => `- ${code(entry.reference)} in ${at(entry)}: ${plain(entry.message)}`),
    ),
    ...section(
      'Capabilities the text relies on',
      report.capabilities.map(
        ({ capability, count, places, fallback }) =>
          `- ${capability}, ${count} times, first in ${at(places[0])}${fallback ? `; without it: ${code(fallback.text ?? '')} (${at(fallback)})` : ''}`,
      ),
    ),
    ...section(
      'Setup questions',
      report.inputs.map(
        ({ name, type, scope, prompt }) => `- ${code(name)} (${type}, once per ${scope}): ${plain(prompt)}`,
      ),
    ),
    ...section(
      'YAML repaired',
      report.repairs.map((entry) => `- ${at(entry)}: ${plain(entry.message)}`),
    ),
    ...section(
      'Skipped for safety',
      report.findings.map((entry) => `- ${at(entry)}: ${plain(entry.message)}`),
    ),
    ...section('Edited by hand', [
      ...edits.kept.map((path) => `- ${code(path)}: your version was kept`),
      ...edits.merged.map((path) => `- ${code(path)}: your edit and the change in the source were merged`),
      ...edits.conflicts.map(
        (path) => `- ${code(path)}: your version was kept; the source changed the same lines`,
      ),
    ]),
    ...section(
      'Constructs',
      report.constructs.map(
        ({ construct, certainty, message, ...entry }) =>
          `- ${certainty} ${construct}, ${at(entry)}: ${plain(message)}`,
      ),
    ),
    '',
  ].join('\n');
}

function toRepository({ url, ref, commit }: NonNullable<ImportReport['source']['git']>): string {
  return `${url}${ref === undefined ? '' : `#${ref}`} at ${commit.slice(0, 10)}`;
}

const LOST_TEXTS: Readonly<Record<LostPart['what'], string>> = {
  agents: 'agents',
  'menu-items': 'menu items',
  steps: 'steps that cannot be reached',
  moves: 'moves to steps that the source does not have',
  tokens: 'tokens that nothing replaces',
  outputs: 'outputs without a place, because nothing says where their folder is',
  references: 'references to files that the source does not have',
  prose: 'workflows that are one node, because their stages are prose',
  kinds: 'files of kinds that are not imported',
  files: 'files that were skipped for safety',
};

function toWorkflow({
  id,
  kind,
  source,
  nodes,
  edges,
  verdict,
}: ImportReport['workflows'][number]): string[] {
  return [
    '',
    `## Workflow ${code(id)}`,
    '',
    `${verdict === undefined ? '' : `**${verdict}** · `}${kind}, ${nodes} nodes, from ${code(source)}`,
    ...(edges.length > 0
      ? ['', '| from | to | label | certainty | evidence |', '|---|---|---|---|---|']
      : []),
    ...edges.map(
      ({ from, to, label, certainty, evidence }) =>
        `| ${code(from)} | ${code(to)} | ${code(label)} | ${certainty} | ${evidence.slice(0, 2).map(at).join(', ')} |`,
    ),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];
}

function describe({ exact, inferred, dropped }: ImportReport['totals']['edges']): string {
  return `${exact} exact, ${inferred} inferred, ${dropped} dropped`;
}

function describeChecks({ errors, warnings, rehearsal }: NonNullable<ImportReport['checks']>): string {
  const rehearsed = rehearsal
    ? `; rehearsal ${rehearsal.ok ? 'passed' : rehearsal.missingFiles === undefined ? 'failed' : `complete, except for ${rehearsal.missingFiles} missing ${rehearsal.missingFiles === 1 ? 'file' : 'files'}`}, ${rehearsal.nodes.covered} of ${rehearsal.nodes.total} nodes, ${rehearsal.edges.covered} of ${rehearsal.edges.total} edges`
    : '';
  return `${errors} errors, ${warnings} warnings${rehearsed}`;
}

function at(evidence: Evidence | undefined): string {
  return evidence ? code(`${evidence.file}${evidence.line === undefined ? '' : `:${evidence.line}`}`) : '';
}

function code(text: string): string {
  return `\`${plain(text).replaceAll('`', "'").replaceAll('|', '¦')}\``;
}

/** One line without control characters, and without tags that a page would render. */
function plain(text: string): string {
  return toPlainText(text.replace(/\s+/g, ' ').trim()).replaceAll('<', '‹').replaceAll('>', '›');
}
