/** Positions of the nodes and routes of the edges: downwards in a narrow panel, to the right in a wide one. */
import { Graph, layout } from '@dagrejs/dagre';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import type { Progress, ProgressEdge } from '../to-progress.ts';
import { type EdgeRoute, type Point, toRoute } from './edge-route.ts';

export const NODE_WIDTH = 168;
export const NODE_HEIGHT = 56;

export type GraphDirection = 'down' | 'right';

interface Size {
  readonly width: number;
  readonly height: number;
}

interface GraphLayout extends Size {
  /** Top left corners, by node. */
  readonly positions: ReadonlyMap<string, Point>;
  /** By edge. */
  readonly routes: ReadonlyMap<string, EdgeRoute>;
}

export function layOutGraph(
  { nodes, edges }: Progress,
  direction: GraphDirection,
  sizeOf: (id: string) => Size = () => ({ width: NODE_WIDTH, height: NODE_HEIGHT }),
): GraphLayout {
  const graph = new Graph({ multigraph: true });
  const spacing = direction === 'down' ? { rankdir: 'TB', ranksep: 32 } : { rankdir: 'LR', ranksep: 48 };
  graph.setGraph({ ...spacing, nodesep: 28, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { ...sizeOf(id) });
  for (const edge of edges) {
    const width = widthOfLabel(labelOf(edge, edges));
    graph.setEdge(edge.from, edge.to, { width, height: width === 0 ? 0 : 16, labelpos: 'c' }, edge.id);
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>;
  const shapes = new Map(
    nodes.map(({ id, type }) => [id, { type, ...sizeOf(id), ...(graph.node(id) as Point) }] as const),
  );
  const positions = new Map(
    [...shapes].map(([id, { x, y, ...size }]) => [id, { x: x - size.width / 2, y: y - size.height / 2 }]),
  );
  const routes = new Map<string, EdgeRoute>();
  for (const { id, from, to } of edges) {
    const [one, other] = [shapes.get(from), shapes.get(to)];
    const drawn = graph.edge(from, to, id) as { readonly points: readonly Point[] } & Partial<Point>;
    const bends = drawn.points.slice(1, -1);
    const { x = bends[0]?.x ?? 0, y = bends[0]?.y ?? 0 } = drawn;
    if (one && other) routes.set(id, toRoute(one, other, { bends, label: { x, y } }));
  }
  return { positions, routes, width, height };
}

const MAX_LABEL_CHARS = 26;

/** The label as drawn. The only edge of a node needs none. */
export function labelOf({ from, label }: ProgressEdge, edges: readonly ProgressEdge[]): string {
  if (edges.filter((other) => other.from === from).length === 1) return '';
  const shown = toShownLine(label);
  return shown.length > MAX_LABEL_CHARS ? `${shown.slice(0, MAX_LABEL_CHARS - 1)}…` : shown;
}

/** Estimated width; a Chinese character is twice as wide. */
function widthOfLabel(label: string): number {
  return [...label].reduce((sum, character) => sum + (character > '\u2e80' ? 11 : 6), 0);
}
