/** Positions of the nodes and routes of the edges: downwards in a narrow panel, to the right in a wide one. */
import type { NodeType } from '@crewagent/protocol/workflow';
import { Graph, layout } from '@dagrejs/dagre';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import type { Progress, ProgressEdge } from '../to-progress.ts';

export const NODE_WIDTH = 168;
export const NODE_HEIGHT = 56;

export type GraphDirection = 'down' | 'right';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Top left corners by node, and routes by edge. */
export function layOutGraph(
  { nodes, edges }: Progress,
  direction: GraphDirection,
  sizeOf: (id: string) => Size = () => ({ width: NODE_WIDTH, height: NODE_HEIGHT }),
) {
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
    if (!one || !other) continue;
    const [start, end] = [borderPoint(one, bends[0] ?? other), borderPoint(other, bends.at(-1) ?? one)];
    routes.set(id, { points: [start, ...bends, end], label: { x, y } });
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

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The line of an edge: from the border of one node to that of the other, past the nodes between them. */
export interface EdgeRoute {
  readonly points: readonly Point[];
  readonly label: Point;
}

/** Where the line from the center of a node, which is its position here, to a point leaves the node. */
function borderPoint(node: Point & Size & { readonly type: NodeType }, towards: Point): Point {
  const { x, y, width, height, type } = node;
  const dx = towards.x - x;
  const dy = towards.y - y;
  const [across, down] = [Math.abs(dx) / (width / 2), Math.abs(dy) / (height / 2)];
  // A decision is a diamond.
  const distance = type === 'decision' ? across + down : Math.max(across, down);
  return distance === 0 ? { x, y } : { x: x + dx / distance, y: y + dy / distance };
}

export function moveRoute({ points, label }: EdgeRoute, by: Point): EdgeRoute {
  const move = ({ x, y }: Point): Point => ({ x: x + by.x, y: y + by.y });
  return { points: points.map(move), label: move(label) };
}

/** An SVG path with rounded bends; its first and last part are straight, so that the arrow points along the line. */
export function toPath({ points }: EdgeRoute): string {
  const [start, ...others] = points;
  const end = others.at(-1);
  if (!start || !end) return '';
  const bends = others.slice(0, -1).map((bend, index) => {
    const before = middle(points[index] ?? start, bend);
    const after = middle(bend, others[index + 1] ?? end);
    return `L ${before.x} ${before.y} Q ${bend.x} ${bend.y} ${after.x} ${after.y}`;
  });
  return [`M ${start.x} ${start.y}`, ...bends, `L ${end.x} ${end.y}`].join(' ');
}

function middle(one: Point, other: Point): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}
