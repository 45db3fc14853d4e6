/**
 * The checks of an imported step, `waits` and `produces`, each with the line of the source that it is based on in the report.
 * A step whose text says neither has none.
 */
import type { WrittenProduced } from '@crewagent/protocol/proof';
import type { ImportScope } from '../source/import-scope.ts';
import { RUNTIME_VALUES } from '../source/module-questions.ts';
import type { EdgeDraft, NodeDraft } from '../source/package-draft.ts';
import type { SourceWorkflow } from '../source/recognise-source.ts';
import { pathTokens, type ReferenceScope, resolveReference } from '../source/resolve-reference.ts';
import { isContinueName } from './step-moves.ts';
import { findProduces, type Template, type WrittenOutput } from './step-produces.ts';
import { type FoundWait, findPresentation, findWait } from './step-waits.ts';

export interface ProofSource {
  readonly node: NodeDraft;
  /** The file with the text of the node. */
  readonly file: string;
  /** Number of lines before the body. */
  readonly bodyLine: number;
  readonly outputs: readonly WrittenOutput[];
  /** Resolves templates that the text names. */
  readonly references: ReferenceScope;
}

interface ProofContext {
  readonly workflow: SourceWorkflow;
  readonly id: string;
  readonly edges: readonly EdgeDraft[];
}

/** The nodes with their checks. */
export function withProof(
  sources: readonly ProofSource[],
  context: ProofContext,
  scope: ImportScope,
): NodeDraft[] {
  const templates = new Map<string, Template>();
  const sets = new Set(sources.flatMap(({ node }) => node.setsVariables));
  const isKnown = (name: string): boolean =>
    RUNTIME_VALUES.has(name) || sets.has(name) || scope.isConfigured(name);
  const proved = sources.map((source) => {
    const { node, outputs, references } = source;
    const own = context.edges.filter(({ from }) => from === node.id);
    const produced = findProduces({
      body: node.body,
      outputs,
      templates,
      leads: leadsOf(own),
      canResume: [node.id, ...own.map(({ to }) => to)].some(isContinueName) || RESUMES.test(node.body),
      isKnown,
      findTemplate: (line) => findNamedTemplate(line, references, scope),
    });
    return { source, wait: findWait(node.body), produced };
  });
  const isEmpty = !proved.some(({ wait, produced }) => wait || produced.length > 0);
  const shown = isEmpty ? proved.find(({ source }) => findPresentation(source.node.body)) : undefined;
  if (isEmpty && !shown)
    scope.notes.add(
      UNCHECKED,
      'inferred',
      { file: context.workflow.file, workflow: context.id },
      'The text does not say where it waits or what it writes; nothing is checked when its nodes are left.',
    );
  return proved.map((found) => {
    const { source, produced } = found;
    const wait = found === shown ? findPresentation(source.node.body) : found.wait;
    if (wait) noteWait(wait, source, context, scope);
    for (const { written, line } of produced)
      scope.notes.add(
        'produces',
        'inferred',
        at(source, context, line),
        `${source.node.id} ${describe(written)}.`,
      );
    const produces = produced.map(({ written }) => written);
    return { ...source.node, waits: wait?.waits, produces: produces[0] && produces };
  });
}

const RESUMES =
  /\bcheck if [`*]*\{[\w-]+\}[`*]* (?:already )?exists\b|\b(?:pick\w* up|resum\w*|continu\w*) (?:from )?where\b/i;

/** Construct of the report. */
export const UNCHECKED = 'workflow without checks';

function noteWait(wait: FoundWait, source: ProofSource, context: ProofContext, { notes }: ImportScope): void {
  const options = typeof wait.waits === 'object' ? (wait.waits.options ?? []) : [];
  const what = options.length > 0 ? `a choice: ${options.join(', ')}` : 'the person';
  notes.add('waits', wait.certainty, at(source, context, wait), `${source.node.id} waits for ${what}.`);
}

function at(
  { file, bodyLine }: ProofSource,
  { id }: ProofContext,
  line: { readonly index: number; readonly text: string } | undefined,
) {
  return { file, workflow: id, line: line && bodyLine + line.index + 1, text: line?.text.trim() };
}

function describe({ path, change, headings, minWords, notContains }: WrittenProduced): string {
  const named = Array.isArray(headings) ? headings : headings?.only;
  const from = headings && !Array.isArray(headings) ? ` of ${headings.from}` : '';
  return [
    `${change === 'exists' ? 'has' : 'writes'} ${path}`,
    headings
      ? `with the headings${from}${named ? ` ${named.map((heading) => `"${heading}"`).join(', ')}` : ''}`
      : '',
    `and at least ${minWords} words`,
    notContains ? `without ${notContains.join(', ')}` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** The letter of the default edge, or of the only one; `C` elsewhere. */
export function leadsOf(edges: readonly EdgeDraft[]): string[] {
  const main = edges.find(({ isDefault }) => isDefault) ?? (edges.length === 1 ? edges[0] : undefined);
  return main && /^[A-Z0-9]$/.test(main.label) ? [main.label, 'C'] : ['C'];
}

function findNamedTemplate(
  line: string,
  references: ReferenceScope,
  scope: ImportScope,
): Template | undefined {
  return pathTokens(line, true).flatMap(({ written }) => findTemplate(written, references, scope) ?? [])[0];
}

/** The Markdown template at a path of the source. */
export function findTemplate(
  written: unknown,
  references: ReferenceScope,
  { tree, toPackagePath }: ImportScope,
): Template | undefined {
  const found = typeof written === 'string' ? resolveReference(written, references) : undefined;
  if (found?.kind !== 'file' || !/template[^/]*\.md$/i.test(found.path)) return undefined;
  const text = tree.text(found.path);
  return text === undefined ? undefined : { path: toPackagePath(found.path), text };
}
