/** Edits of edges, with the `transitions` of the step that repeat them for readers. Pure. */
import type { AuthorEditOf } from '@crewagent/protocol/author';
import { isObject, textOf } from '@crewagent/protocol/json-object';
import { type Fields, withFields } from './fields.ts';
import { findNode, type GraphDocument, readGraph, stepFileOf } from './graph-document.ts';
import { type PackageTexts, refused } from './package-texts.ts';

interface NewEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

export async function addEdge(texts: PackageTexts, path: string, edge: NewEdge): Promise<void> {
  const graph = readGraph(texts, path);
  const node = findNode(graph, edge.from);
  findNode(graph, edge.to);
  checkNewPair(graph, edge);
  texts.writeJson(path, { ...graph.value, edges: [...graph.edges, edge] });
  const { to, label } = edge;
  await editTransitions(texts, stepFileOf(node), (listed) =>
    listed.length === 0 ? listed : [...listed, { to, label }],
  );
}

/** Two edges between the same nodes differ in their labels. */
function checkNewPair({ edges }: GraphDocument, { from, to, label }: NewEdge): void {
  if (edges.some((edge) => edge.from === from && edge.to === to && edge.label === label))
    throw refused(`There is already an edge "${label}" from "${from}" to "${to}". Choose another label.`);
}

export async function setEdge(
  texts: PackageTexts,
  { graph: path, edge: index, fields }: AuthorEditOf<'setEdge'>,
): Promise<void> {
  const graph = readGraph(texts, path);
  const edge = findEdge(graph, index);
  const after = withFields(edge, fields);
  if (fields.to !== undefined) findNode(graph, fields.to);
  const [before, pair] = [toPair(edge), toPair(after)];
  if (before.to !== pair.to || before.label !== pair.label) checkNewPair(graph, pair);
  // One default per node.
  const takesDefault = fields.isDefault === true;
  texts.writeJson(path, {
    ...graph.value,
    edges: graph.edges.map((one) => {
      if (one === edge) return after;
      return takesDefault && one.from === edge.from && one.isDefault === true
        ? withFields(one, { isDefault: null })
        : one;
    }),
  });
  await editTransitions(texts, stepOf(graph, edge), (listed) =>
    listed.map((item) => (isPair(item, before) ? withFields(item, toTransition(item, after, fields)) : item)),
  );
}

/** What the transition says of the edge; a condition only if it had one. */
function toTransition(item: Fields, { to, label }: Fields, { conditionText }: Fields): Fields {
  return { to, label, ...('conditionText' in item ? { conditionText } : {}) };
}

export async function disconnect(
  texts: PackageTexts,
  { graph: path, edge: index }: AuthorEditOf<'disconnect'>,
): Promise<void> {
  const graph = readGraph(texts, path);
  const edge = findEdge(graph, index);
  texts.writeJson(path, { ...graph.value, edges: graph.edges.filter((one) => one !== edge) });
  const pair = toPair(edge);
  // Another edge with the same target and label is the one that the transition repeats.
  if (graph.edges.some((one) => one !== edge && one.from === edge.from && isPair(one, pair))) return;
  await removeTransitions(texts, stepOf(graph, edge), (item) => isPair(item, pair));
}

function findEdge({ edges }: GraphDocument, index: number): Fields {
  const found = edges[index];
  if (found) return found;
  throw refused('There is no such edge. It may have been removed meanwhile.');
}

/** Path of the step of the node that the edge leaves. */
function stepOf({ nodes }: GraphDocument, edge: Fields): string {
  const node = nodes.find(({ id }) => id === edge.from);
  return node ? stepFileOf(node) : '';
}

function toPair(edge: Fields): NewEdge {
  const [from = '', to = '', label = ''] = [edge.from, edge.to, edge.label].map(textOf);
  return { from, to, label };
}

function isPair(item: Fields, { to, label }: NewEdge): boolean {
  return item.to === to && item.label === label;
}

export function removeTransitions(
  texts: PackageTexts,
  file: string,
  isRemoved: (item: Fields) => boolean,
): Promise<void> {
  return editTransitions(texts, file, (listed) => listed.filter((item) => !isRemoved(item)));
}

export function renameTransitions(
  texts: PackageTexts,
  file: string,
  nodeId: string,
  to: string,
): Promise<void> {
  return editTransitions(texts, file, (listed) =>
    listed.map((item) => (item.to === nodeId ? { ...item, to } : item)),
  );
}

/** A step without transitions stays without. */
async function editTransitions(
  texts: PackageTexts,
  file: string,
  edit: (listed: readonly Fields[]) => readonly Fields[],
): Promise<void> {
  const listed = (await texts.readStep(file))?.transitions;
  if (!Array.isArray(listed) || !listed.every(isObject)) return;
  await texts.writeStep(file, { transitions: edit(listed) });
}
