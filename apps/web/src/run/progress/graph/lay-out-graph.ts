/** Positions of the nodes and routes of the edges: downwards in a narrow panel, to the right in a wide one. */
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

/** Top left corners by node, routes by edge, and the size of the whole graph. */
export interface GraphLayout extends Size {
  readonly positions: ReadonlyMap<string, Point>;
  readonly routes: ReadonlyMap<string, EdgeRoute>;
}

/** Lays out one graph, whose nodes have these sizes. */
export type LayOut = (progress: DrawnGraph, sizeOf: (id: string) => Size) => GraphLayout;

export type DrawnGraph = Pick<Progress, 'nodes' | 'edges'>;

interface LayoutOptions {
  /** For cards: less room between them, and decisions are no diamonds. */
  readonly isTight?: boolean;
  /** The edges of the whole graph, if this is a part of one: they decide which edges have labels. */
  readonly among?: readonly ProgressEdge[];
}

export function layOutGraph(
  graph: DrawnGraph,
  direction: GraphDirection,
  sizeOf: (id: string) => Size = () => ({ width: NODE_WIDTH, height: NODE_HEIGHT }),
  options: LayoutOptions = {},
): GraphLayout {
  const chain = direction === 'down' ? layOutChain(graph, sizeOf, options) : undefined;
  return chain ?? layOutAny(graph, direction, sizeOf, options);
}

/** Nodes one below the other, where the library would place them, in a hundredth of the time. Undefined for any other graph. */
function layOutChain(
  { nodes, edges }: DrawnGraph,
  sizeOf: (id: string) => Size,
  { isTight = false, among = edges }: LayoutOptions,
): GraphLayout | undefined {
  const edgeFrom = new Map(edges.map((edge) => [edge.from, edge]));
  const targets = new Set(edges.map(({ to }) => to));
  const isPlain = [edgeFrom.size, targets.size, nodes.length - 1].every((count) => count === edges.length);
  if (!isPlain || edges.some((edge) => labelOf(edge, among) !== '')) return undefined;
  const { ranksep, marginx, marginy } = spacingOf('down', isTight);
  const width = Math.max(...nodes.map(({ id }) => sizeOf(id).width)) + 2 * marginx;
  const x = width / 2;
  const positions = new Map<string, Point>();
  const routes = new Map<string, EdgeRoute>();
  let y = marginy;
  let id = nodes.find((node) => !targets.has(node.id))?.id;
  while (id !== undefined) {
    const size = sizeOf(id);
    positions.set(id, { x: x - size.width / 2, y });
    y += size.height;
    const edge = edgeFrom.get(id);
    const middle = { x, y: y + ranksep / 2 };
    if (edge) routes.set(edge.id, { points: [{ x, y }, middle, { x, y: y + ranksep }], label: middle });
    y += edge ? ranksep : marginy;
    id = edge?.to;
  }
  // Else a part of it is a loop, or an edge leads nowhere.
  return nodes.every((node) => positions.has(node.id)) ? { positions, routes, width, height: y } : undefined;
}

/** Exported for the test of chains. */
export function layOutAny(
  { nodes, edges }: DrawnGraph,
  direction: GraphDirection,
  sizeOf: (id: string) => Size,
  { isTight = false, among = edges }: LayoutOptions,
): GraphLayout {
  const graph = new Graph({ multigraph: true });
  graph.setGraph(spacingOf(direction, isTight));
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { ...sizeOf(id) });
  const backEdges = findBackEdges({ nodes, edges });
  for (const edge of edges) {
    const width = widthOfLabel(labelOf(edge, among));
    const [from, to] = backEdges.has(edge.id) ? [edge.to, edge.from] : [edge.from, edge.to];
    graph.setEdge(from, to, { width, height: width === 0 ? 0 : 16, labelpos: 'c' }, edge.id);
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>;
  const shapes = new Map(
    nodes.map(({ id, type }) => {
      const isDiamond = !isTight && type === 'decision';
      return [id, { isDiamond, ...sizeOf(id), ...(graph.node(id) as Point) }] as const;
    }),
  );
  const positions = new Map(
    [...shapes].map(([id, { x, y, width: across, height: down }]) => [
      id,
      { x: x - across / 2, y: y - down / 2 },
    ]),
  );
  const routes = new Map<string, EdgeRoute>();
  for (const { id, from, to } of edges) {
    const [one, other] = [shapes.get(from), shapes.get(to)];
    const isBack = backEdges.has(id);
    const drawn = graph.edge(isBack ? to : from, isBack ? from : to, id) as DrawnEdge;
    const bends = isBack ? drawn.points.slice(1, -1).reverse() : drawn.points.slice(1, -1);
    const { x = bends[0]?.x ?? 0, y = bends[0]?.y ?? 0 } = drawn;
    if (!one || !other) continue;
    const [start, end] = [borderPoint(one, bends[0] ?? other), borderPoint(other, bends.at(-1) ?? one)];
    routes.set(id, { points: [start, ...bends, end], label: { x, y } });
  }
  return { positions, routes, width, height };
}

function spacingOf(direction: GraphDirection, isTight: boolean) {
  const spacing = direction === 'down' ? { rankdir: 'TB', ranksep: 32 } : { rankdir: 'LR', ranksep: 48 };
  return { ...spacing, nodesep: 28, marginx: 16, marginy: 16, ...(isTight ? TIGHT : {}) } as const;
}

const TIGHT = { ranksep: 24, nodesep: 18, edgesep: 14, marginx: 14, marginy: 8 };

type DrawnEdge = { readonly points: readonly Point[] } & Partial<Point>;

/**
 * Edges of loops that lead to a node which the author lists earlier. The library gets them reversed: by itself it may choose any
 * edge of a loop to go up, and then a step stands below the steps that follow it.
 */
function findBackEdges({ nodes, edges }: DrawnGraph): ReadonlySet<string> {
  const order = new Map(nodes.map(({ id }, index) => [id, index]));
  const nextOf = new Map<string, string[]>();
  for (const { from, to } of edges) nextOf.set(from, [...(nextOf.get(from) ?? []), to]);
  const canReach = (from: string, wanted: string): boolean => {
    const seen = new Set([from]);
    for (const id of seen) {
      if (id === wanted) return true;
      for (const to of nextOf.get(id) ?? []) seen.add(to);
    }
    return false;
  };
  const back = edges.filter(
    ({ from, to }) => (order.get(to) ?? 0) < (order.get(from) ?? 0) && canReach(to, from),
  );
  return new Set(back.map(({ id }) => id));
}

const MAX_LABEL_CHARS = 26;

/** The label as drawn. The only edge of a node needs none. */
export function labelOf({ from, label }: ProgressEdge, edges: readonly ProgressEdge[]): string {
  if (edges.filter((other) => other.from === from).length === 1) return '';
  const shown = toShownLine(label);
  return shown.length > MAX_LABEL_CHARS ? `${shown.slice(0, MAX_LABEL_CHARS - 1)}…` : shown;
}

/** Estimated width; a Chinese character is twice as wide. */
export function widthOfLabel(label: string): number {
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
  /** Its parts are horizontal and vertical: only the corners are round. */
  readonly isSquare?: true;
}

/** Where the line from the center of a node, which is its position here, to a point leaves the node. */
function borderPoint(node: Point & Size & { readonly isDiamond: boolean }, towards: Point): Point {
  const { x, y, width, height, isDiamond } = node;
  const dx = towards.x - x;
  const dy = towards.y - y;
  const [across, down] = [Math.abs(dx) / (width / 2), Math.abs(dy) / (height / 2)];
  const distance = isDiamond ? across + down : Math.max(across, down);
  return distance === 0 ? { x, y } : { x: x + dx / distance, y: y + dy / distance };
}

export function moveRoute(route: EdgeRoute, by: Point): EdgeRoute {
  const move = ({ x, y }: Point): Point => ({ x: x + by.x, y: y + by.y });
  return { ...route, points: route.points.map(move), label: move(route.label) };
}

/** An SVG path with rounded bends; its first and last part are straight, so that the arrow points along the line. */
export function toPath({ points, isSquare }: EdgeRoute): string {
  const [start, ...others] = points;
  const end = others.at(-1);
  if (!start || !end) return '';
  const bends = others.slice(0, -1).map((bend, index) => {
    const radius = isSquare ? CORNER : Number.POSITIVE_INFINITY;
    const before = beside(bend, points[index] ?? start, radius);
    const after = beside(bend, others[index + 1] ?? end, radius);
    return `L ${before.x} ${before.y} Q ${bend.x} ${bend.y} ${after.x} ${after.y}`;
  });
  return [`M ${start.x} ${start.y}`, ...bends, `L ${end.x} ${end.y}`].join(' ');
}

const CORNER = 10;

/** The point on the way from a bend to its neighbour where the curve begins: at most half the way. */
function beside(bend: Point, neighbour: Point, radius: number): Point {
  const [dx, dy] = [neighbour.x - bend.x, neighbour.y - bend.y];
  const length = Math.hypot(dx, dy);
  const share = length === 0 ? 0 : Math.min(0.5, radius / length);
  return { x: bend.x + dx * share, y: bend.y + dy * share };
}
