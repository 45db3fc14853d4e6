/**
 * Edits of nodes: the graph, the step of the node, and what other documents say about it change together. The text below the
 * frontmatter of a step stays byte for byte, except where a renaming is asked to change it. Pure.
 */
import { posix } from 'node:path';
import type { AuthorEditOf } from '@crewagent/protocol/author';
import { FORMAT_VERSION } from '@crewagent/protocol/format';
import { textOf } from '@crewagent/protocol/json-object';
import { foldName, segmentDanger } from '../base/file-names.ts';
import { frontmatterLength, updateFrontmatter } from '../workflow/update-frontmatter.ts';
import { addEdge, removeTransitions, renameTransitions } from './edit-edges.ts';
import { type Fields, withFields } from './fields.ts';
import { checkFreeId, findNode, type GraphDocument, readGraph, stepFileOf } from './graph-document.ts';
import { listWorkflows } from './list-workflows.ts';
import { type PackageTexts, refused } from './package-texts.ts';

export async function addNode(texts: PackageTexts, edit: AuthorEditOf<'addNode'>): Promise<void> {
  const { graph: path, id, type, title, agentId, after } = edit;
  const graph = readGraph(texts, path);
  checkFreeId(graph, id);
  const file = freeStepFile(texts, path, id);
  const eol = texts.read(path).includes('\r\n') ? '\r\n' : '\n';
  const head = await updateFrontmatter('', { schemaVersion: FORMAT_VERSION, nodeId: id, type }, eol);
  if (!head.ok) throw refused(`A step for "${id}" could not be written: it ${head.reason}.`);
  texts.write(file, `${head.text}# ${(title ?? id).replace(/\s+/g, ' ')}${eol}`);
  const node = withFields({ id, type }, { title, agentId, file });
  texts.writeJson(path, { ...graph.value, nodes: [...graph.nodes, node] });
  if (after) await addEdge(texts, path, { from: after.nodeId, to: id, label: after.label });
}

/** A path beside the other steps that is free on every file system. */
function freeStepFile(texts: PackageTexts, graph: string, id: string): string {
  const folder = posix.join(posix.dirname(graph), 'steps');
  const taken = new Set(texts.paths().map(foldName));
  const name = id.replaceAll(':', '-').replace(/\.+$/, '');
  const stem = segmentDanger(`${name}.md`) ? `step-${name}` : name;
  for (let number = 1; ; number++) {
    const path = `${folder}/${number === 1 ? stem : `${stem}-${number}`}.md`;
    if (!taken.has(foldName(path))) return path;
  }
}

export async function duplicateNode(texts: PackageTexts, edit: AuthorEditOf<'duplicateNode'>): Promise<void> {
  const graph = readGraph(texts, edit.graph);
  const node = findNode(graph, edit.nodeId);
  checkFreeId(graph, edit.id);
  const source = stepFileOf(node);
  const file = freeStepFile(texts, edit.graph, edit.id);
  texts.write(file, texts.read(source));
  const step = await texts.readStep(file);
  await texts.writeStep(file, {
    nodeId: edit.id,
    title: step && 'title' in step ? edit.title : undefined,
    // The copy has no edges yet.
    transitions: step && 'transitions' in step ? null : undefined,
  });
  const copy = withFields(node, { id: edit.id, title: edit.title, file });
  const at = graph.nodes.indexOf(node) + 1;
  texts.writeJson(edit.graph, { ...graph.value, nodes: graph.nodes.toSpliced(at, 0, copy) });
}

export async function setNode(
  texts: PackageTexts,
  { graph: path, nodeId, fields }: AuthorEditOf<'setNode'>,
): Promise<void> {
  const graph = readGraph(texts, path);
  const node = findNode(graph, nodeId);
  const file = stepFileOf(node);
  const step = (await texts.readStep(file)) ?? {};
  // A step that repeats a field agrees with its node; a field that only the step has stays there.
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  const inStep = entries.filter(([key]) => Object.hasOwn(step, key));
  const inGraph = entries.filter(([key]) => Object.hasOwn(node, key) || !Object.hasOwn(step, key));
  replaceNode(texts, path, graph, node, withFields(node, Object.fromEntries(inGraph)));
  await texts.writeStep(file, Object.fromEntries(inStep));
}

function replaceNode(
  texts: PackageTexts,
  path: string,
  { value, nodes }: GraphDocument,
  node: Fields,
  after: Fields,
): void {
  texts.writeJson(path, { ...value, nodes: nodes.map((one) => (one === node ? after : one)) });
}

/** Keys that have an edit of their own. */
const NODE_KEYS: ReadonlySet<string> = new Set(['schemaVersion', 'nodeId', 'type', 'transitions']);

export async function setStep(
  texts: PackageTexts,
  { graph: path, nodeId, keys }: AuthorEditOf<'setStep'>,
): Promise<void> {
  const file = stepFileOf(findNode(readGraph(texts, path), nodeId));
  const own = Object.keys(keys).find((key) => NODE_KEYS.has(key));
  if (own !== undefined) throw refused(`"${own}" of a step follows its node and is not set by itself.`);
  if (!(await texts.readStep(file)))
    throw refused(`The frontmatter of "${file}" cannot be read. Correct its text first.`);
  await texts.writeStep(file, keys);
}

export async function renameNode(
  texts: PackageTexts,
  { graph: path, nodeId, to, inTexts = false }: AuthorEditOf<'renameNode'>,
): Promise<void> {
  const graph = readGraph(texts, path);
  const node = findNode(graph, nodeId);
  if (to === nodeId) return;
  checkFreeId(graph, to);
  const renamed = (id: unknown): unknown => (id === nodeId ? to : id);
  texts.writeJson(path, {
    ...graph.value,
    ...('entryNodeId' in graph.value ? { entryNodeId: renamed(graph.value.entryNodeId) } : {}),
    nodes: graph.nodes.map((one) => (one === node ? { ...one, id: to } : one)),
    edges: graph.edges.map((edge) => withFields(edge, renamedEnds(edge, renamed))),
  });
  const own = stepFileOf(node);
  if ((await texts.readStep(own))?.nodeId === nodeId) await texts.writeStep(own, { nodeId: to });
  const files = new Set(graph.nodes.map(stepFileOf));
  for (const file of files) await renameTransitions(texts, file, nodeId, to);
  await updatePosition(texts, path, nodeId, to);
  if (inTexts) for (const file of [...files, documentOf(texts, path)]) renameInText(texts, file, nodeId, to);
}

function renamedEnds(edge: Fields, renamed: (id: unknown) => unknown): Fields {
  return { from: renamed(edge.from), to: renamed(edge.to) };
}

function renameInText(texts: PackageTexts, file: string, id: string, to: string): void {
  const text = texts.find(file);
  if (text === undefined) return;
  const length = frontmatterLength(text);
  const body = text.slice(length).replace(mentionsOf(id), () => to);
  texts.write(file, text.slice(0, length) + body);
}

/** The id as a whole word. */
function mentionsOf(id: string): RegExp {
  return new RegExp(`(?<![\\w.:-])${id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w:-]|\\.\\w)`, 'g');
}

/** The document of a workflow begins at a node and may list some as completed. `to`: null if the node is removed. */
async function updatePosition(
  texts: PackageTexts,
  graph: string,
  nodeId: string,
  to: string | null,
): Promise<void> {
  const file = documentOf(texts, graph);
  const step = await texts.readStep(file);
  if (!step) return;
  const completed = step.stepsCompleted;
  await texts.writeStep(file, {
    currentNodeId: step.currentNodeId === nodeId ? (to ?? '') : undefined,
    stepsCompleted:
      Array.isArray(completed) && completed.includes(nodeId)
        ? completed.flatMap((id: unknown) => (id === nodeId ? (to ?? []) : [id]))
        : undefined,
  });
}

function documentOf(texts: PackageTexts, graph: string): string {
  return listWorkflows(texts).find((workflow) => workflow.graph === graph)?.document ?? '';
}

export async function deleteNode(
  texts: PackageTexts,
  { graph: path, nodeId, removesFile }: AuthorEditOf<'deleteNode'>,
): Promise<void> {
  const graph = readGraph(texts, path);
  const node = findNode(graph, nodeId);
  const [next] = graph.edges.filter(({ from, to }) => from === nodeId && to !== nodeId);
  const nodes = graph.nodes.filter((one) => one !== node);
  const [first] = nodes;
  if (!first) throw refused('A workflow has at least one node. Add another one first.');
  const isEntry = graph.value.entryNodeId === nodeId;
  texts.writeJson(path, {
    ...graph.value,
    ...(isEntry ? { entryNodeId: textOf(next?.to) ?? first.id } : {}),
    nodes,
    edges: graph.edges.filter(({ from, to }) => from !== nodeId && to !== nodeId),
  });
  for (const file of new Set(nodes.map(stepFileOf)))
    await removeTransitions(texts, file, ({ to }) => to === nodeId);
  await updatePosition(texts, path, nodeId, null);
  const file = stepFileOf(node);
  const isUsed = listWorkflows(texts).some(({ graph: other }) => usesFile(texts, other, file));
  if (removesFile && texts.find(file) !== undefined && !isUsed) texts.write(file, undefined);
}

function usesFile(texts: PackageTexts, graph: string, file: string): boolean {
  try {
    return readGraph(texts, graph).nodes.some((node) => stepFileOf(node) === file);
  } catch {
    // A graph that cannot be read may use it.
    return texts.find(graph)?.includes(file) ?? false;
  }
}

export async function setEntry(
  texts: PackageTexts,
  { graph: path, nodeId }: AuthorEditOf<'setEntry'>,
): Promise<void> {
  const graph = readGraph(texts, path);
  findNode(graph, nodeId);
  texts.writeJson(path, { ...graph.value, entryNodeId: nodeId });
  const file = documentOf(texts, path);
  const current = (await texts.readStep(file))?.currentNodeId;
  // A blank position means the entry node.
  if (current === graph.value.entryNodeId && current !== '')
    await texts.writeStep(file, { currentNodeId: nodeId });
}
