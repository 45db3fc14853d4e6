/**
 * Expands a method, the one-file form of a package, to the files of the full form. The grammar is in docs/authors/one-file.md.
 * Pure.
 */
import { FORMAT_VERSION } from '@crewagent/protocol/format';
import type { MethodAgent } from '@crewagent/protocol/method';
import type { GraphEdge, NodeType } from '@crewagent/protocol/workflow';
import { stringify } from 'yaml';
import { type SchemaKind, schemaReference } from '../../base/schema-reference.ts';
import type { Findings } from '../findings/findings.ts';
import { findSimilar } from '../findings/similar-name.ts';
import { toExpression } from './method-lines.ts';
import { type Method, type MethodStep, parseMethod, type SourceLine } from './parse-method.ts';

export interface ExpandedMethod {
  /** Contents by path. */
  readonly files: Map<string, string>;
  /** The line of the method that something in an expanded file comes from. */
  lineOf(found: { file: string; pointer?: string | undefined; line?: number | undefined }): number;
}

/** `file`: its name in findings. Undefined, with findings, if it has no steps. */
export function expandMethod(text: string, file: string, findings: Findings): ExpandedMethod | undefined {
  const method = parseMethod(text, file, findings);
  if (!method) return undefined;
  const agents = toAgents(method);
  const agentIds = new Map(
    agents.flatMap(({ id, metadata }) => [[id, id] as const, [metadata.name, id] as const]),
  );
  const nodes = method.steps.map((step, index) => toNode(step, index, { method, agentIds, file, findings }));
  const edges = nodes.flatMap((node) => node.edges);
  const expanded = new Map<string, ExpandedFile>([
    ['bmad.json', toManifest(method)],
    ['about.json', toAbout(method)],
    ['agents.json', toJson('agents', { schemaVersion: FORMAT_VERSION, agents }, agentLines(method))],
    ['workflow.graph.json', toGraph(nodes, edges)],
    ['workflow.md', toWorkflow(method)],
  ]);
  for (const node of nodes) expanded.set(node.path, toStepFile(node));
  return {
    files: new Map([...expanded].map(([path, { text: content }]) => [path, content])),
    lineOf: ({ file: found, pointer, line }) => lineIn(expanded.get(found), pointer, line),
  };
}

interface ExpandedFile {
  readonly text: string;
  /** Lines of the method by JSON pointer. */
  readonly pointers: ReadonlyMap<string, number>;
  /** The line of everything else. */
  readonly line: number;
  /** Of a Markdown file: its first line below the frontmatter, and where the lines from there on come from. */
  readonly body?: { readonly start: number; readonly lines: readonly number[] };
}

function lineIn(file: ExpandedFile | undefined, pointer = '', line = 0): number {
  for (let path = pointer; path !== ''; path = path.slice(0, path.lastIndexOf('/'))) {
    const found = file?.pointers.get(path);
    if (found !== undefined) return found;
  }
  const inBody = pointer === '' && file?.body ? file.body.lines[line - file.body.start] : undefined;
  return inBody ?? file?.line ?? 1;
}

function toJson(kind: SchemaKind, value: object, pointers: ReadonlyMap<string, number>): ExpandedFile {
  const document = { $schema: schemaReference(kind), ...value };
  return { text: `${JSON.stringify(document, null, 2)}\n`, pointers, line: 1 };
}

function toMarkdown(
  fields: Readonly<Record<string, unknown>>,
  { title, line, body }: { title: string; line: number; body: readonly SourceLine[] },
  pointers: ReadonlyMap<string, number>,
): ExpandedFile {
  const content = trimBlank(body);
  const head = `---\n${stringify(fields, { lineWidth: 0 })}---\n`;
  const lines: SourceLine[] = [
    { text: '', line },
    { text: `# ${title}`, line },
    { text: '', line },
    ...content,
  ];
  return {
    text: `${head}${lines.map(({ text }) => text).join('\n')}\n`,
    pointers,
    line,
    body: { start: head.split('\n').length, lines: lines.map((one) => one.line) },
  };
}

function trimBlank(lines: readonly SourceLine[]): readonly SourceLine[] {
  const isText = ({ text }: SourceLine): boolean => text.trim() !== '';
  return lines.slice(Math.max(0, lines.findIndex(isText)), lines.findLastIndex(isText) + 1);
}

const DEFAULT_VERSION = '0.1.0';

function toManifest({ frontmatter, lineOf }: Method): ExpandedFile {
  const { name, version = DEFAULT_VERSION, description, author } = frontmatter;
  const entry = { workflow: 'workflow.md', graph: 'workflow.graph.json', agents: 'agents.json' };
  const keys = ['name', 'version', 'description', 'author'];
  return toJson(
    'bmad',
    { schemaVersion: FORMAT_VERSION, name, version, description, author, entry },
    new Map(keys.map((key) => [`/${key}`, lineOf([key])])),
  );
}

function toAbout(method: Method): ExpandedFile {
  // Without one it is made from the name.
  const title = method.frontmatter.title ?? method.heading;
  return toJson('about', { title }, new Map([['/title', method.lineOf(['title'])]]));
}

function titleOf({ frontmatter: { title, name }, heading }: Method): string {
  return title ?? heading ?? name;
}

/** What a persona is without its author's words. */
const PERSONA = {
  en: { style: 'Clear and brief.', principles: ['Use only what the person said or the project holds.'] },
  zh: { style: '清楚、简短。', principles: ['只依据用户说过的话和项目里的资料。'] },
} as const;

function toAgents(method: Method) {
  const { frontmatter } = method;
  const written: readonly MethodAgent[] = frontmatter.agents ?? [
    frontmatter.agent ?? { name: titleOf(method) },
  ];
  const { style: usualStyle, principles: usual } =
    PERSONA[/\p{Script=Han}/u.test(titleOf(method)) ? 'zh' : 'en'];
  return written.map(({ id, name, title = name, icon = '📄', role = title, ...agent }, index) => {
    const { identity = role, style = usualStyle, principles = usual, prompts, menu = [] } = agent;
    const start = { trigger: frontmatter.name, description: titleOf(method), workflow: 'workflow.md' };
    return {
      id: id ?? (index === 0 ? 'agent' : `agent-${index + 1}`),
      metadata: { name, title, icon },
      persona: { role, identity, communication_style: style, principles },
      prompts,
      menu: index === 0 ? [start, ...menu] : menu,
    };
  });
}

function agentLines({ frontmatter, lineOf }: Method): ReadonlyMap<string, number> {
  const { agents } = frontmatter;
  if (!agents) return new Map([['/agents/0', lineOf(['agent'])]]);
  return new Map(agents.map((_, index) => [`/agents/${index}`, lineOf(['agents', index])]));
}

function toWorkflow(method: Method): ExpandedFile {
  const { frontmatter, steps, intro, lineOf } = method;
  const { name, inputs, result, writes, rights } = frontmatter;
  const fields = {
    schemaVersion: FORMAT_VERSION,
    workflowType: name,
    currentNodeId: steps[0]?.id ?? '',
    stepsCompleted: [],
    variables: {},
    decisionLog: [],
    artifacts: [],
    ...omitAbsent({ result, writes, rights, typedInputs: inputs }),
  };
  const pointers = new Map(['result', 'writes', 'rights'].map((key) => [`/${key}`, lineOf([key])]));
  for (const index of (inputs ?? []).keys()) pointers.set(`/typedInputs/${index}`, lineOf(['inputs', index]));
  return toMarkdown(fields, { title: titleOf(method), line: 1, body: intro }, pointers);
}

function omitAbsent(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** An edge of the graph, and its line in the method. */
type MethodEdge = Partial<GraphEdge> & Pick<GraphEdge, 'from' | 'to' | 'label'> & { readonly line: number };

interface Node {
  readonly step: MethodStep;
  readonly path: string;
  readonly type: NodeType;
  readonly agentId: string | undefined;
  readonly edges: readonly MethodEdge[];
}

interface NodeContext {
  readonly method: Method;
  readonly agentIds: ReadonlyMap<string, string>;
  readonly file: string;
  readonly findings: Findings;
}

function toNode(step: MethodStep, index: number, context: NodeContext): Node {
  const { method, agentIds, file, findings } = context;
  const isLast = index === method.steps.length - 1;
  const isEnd = step.isEnd || (isLast && step.edges.length === 0);
  const agentId = step.agent === undefined ? undefined : agentIds.get(step.agent);
  if (step.agent !== undefined && agentId === undefined)
    findings.add('UNKNOWN_AGENT', {
      file,
      line: step.lines.get('/agentId') ?? step.line,
      message: `there is no agent "${step.agent.slice(0, 80)}"`,
      fix: `Write the name or id of an agent in the frontmatter: ${[...agentIds.keys()].join(', ').slice(0, 200)}.`,
    });
  return {
    step,
    // A number first: in the order of the method, and never a name that an operating system reserves.
    path: `steps/${String(index + 1).padStart(2, '0')}-${step.id}.md`,
    type: step.isDecision ? 'decision' : isEnd ? 'end' : 'step',
    agentId,
    edges: isEnd ? [] : toEdges(step, index, context),
  };
}

function toEdges(step: MethodStep, index: number, { method, file, findings }: NodeContext): Node['edges'] {
  const next = method.steps[index + 1];
  const { line } = step;
  if (step.edges.length === 0)
    return next ? [{ from: step.id, to: next.id, label: 'next', isDefault: true, line }] : [];
  const isOnly = step.edges.length === 1;
  const free = step.edges.filter(({ condition, isOtherwise }) => condition === undefined && !isOtherwise);
  const hasOtherwise = step.edges.some(({ isOtherwise }) => isOtherwise);
  return step.edges.flatMap((edge) => {
    const [to, another] = findTargets(edge.heading, method.steps);
    if (to === undefined || another !== undefined) {
      const similar = findSimilar(
        edge.heading,
        method.steps.map(({ title }) => title),
      );
      findings.add('UNKNOWN_NODE', {
        file,
        line: edge.line,
        message: `${to === undefined ? 'no step has' : 'several steps have'} the heading "${edge.heading.slice(0, 80)}"`,
        fix:
          to !== undefined
            ? 'Give one of them an id, such as {#second-draft}, and write that here.'
            : similar === undefined
              ? 'Write the heading of a step, word for word.'
              : `Did you mean "${similar}"?`,
      });
      return [];
    }
    const condition = edge.condition === undefined ? undefined : toExpression(edge.condition);
    // What has no condition is taken if no condition is met, unless the method says what is.
    const isDefault = isOnly || edge.isOtherwise || (!hasOtherwise && free.length === 1 && free[0] === edge);
    return [
      {
        from: step.id,
        to,
        label: edge.label ?? (isOnly && !step.isDecision ? 'next' : edge.heading),
        ...omitAbsent({
          isDefault: isDefault || undefined,
          conditionText: condition?.text,
          conditionExpr: condition?.expr,
        }),
        line: edge.line,
      },
    ];
  });
}

/** Ids of the steps that have this id, else of those with this heading. */
function findTargets(heading: string, steps: readonly MethodStep[]): string[] {
  const wanted = fold(heading);
  const ids = steps.map(({ id }) => id);
  return ids.includes(heading)
    ? [heading]
    : steps.filter(({ title }) => fold(title) === wanted).map(({ id }) => id);
}

/** Spaces, case and the width of characters make no difference. */
function fold(title: string): string {
  return title.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

function toGraph(nodes: readonly Node[], edges: Node['edges']): ExpandedFile {
  const pointers = new Map(nodes.map(({ step }, index) => [`/nodes/${index}`, step.line]));
  for (const [index, { line }] of edges.entries()) pointers.set(`/edges/${index}`, line);
  const graph = {
    schemaVersion: FORMAT_VERSION,
    entryNodeId: nodes[0]?.step.id ?? '',
    nodes: nodes.map(({ step: { id, title, fields }, type, path, agentId }) => ({
      id,
      type,
      file: path,
      title,
      agentId,
      ...toFileLists(fields),
    })),
    edges: edges.map(({ line: _, ...edge }) => edge),
  };
  return toJson('workflow-graph', graph, pointers);
}

/** What is read and written by exact names, which screens show before a run. */
function toFileLists(fields: MethodStep['fields']): { inputs?: string[]; outputs?: string[] } {
  const pathsOf = (key: 'consumes' | 'produces'): string[] | undefined => {
    const list = (fields[key] ?? []) as readonly { path: string; optional?: unknown }[];
    const paths = list.flatMap(({ path, optional }) =>
      /[*?]/.test(path) || optional === true ? [] : [path],
    );
    return paths.length > 0 ? paths : undefined;
  };
  return { inputs: pathsOf('consumes'), outputs: pathsOf('produces') };
}

function toStepFile({ step, type, agentId, edges }: Node): ExpandedFile {
  const fields = {
    schemaVersion: FORMAT_VERSION,
    nodeId: step.id,
    type,
    title: step.title,
    ...omitAbsent({ agentId, ...toFileLists(step.fields) }),
    ...step.fields,
    ...(edges.length === 0 ? {} : { transitions: edges.map(({ to, label }) => ({ to, label })) }),
  };
  const pointers = new Map(step.lines);
  for (const [index, { line }] of edges.entries()) pointers.set(`/transitions/${index}`, line);
  return toMarkdown(fields, step, pointers);
}
