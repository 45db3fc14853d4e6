/**
 * A graph that goes down, wrapped into columns: a chain of forty nodes is five columns of eight instead of a thread. Each column
 * is laid out by itself; edges between columns run through the gutters beside them, and through a corridor above or below where
 * they pass other columns. Pure.
 */
import {
  type DrawnGraph,
  type EdgeRoute,
  type GraphLayout,
  labelOf,
  layOutGraph,
  moveRoute,
  type Point,
  type Size,
  widthOfLabel,
} from './lay-out-graph.ts';

type SizeOf = (id: string) => Size;

/** Between two columns, without labels. */
const GUTTER = 18;
/** Between parallel edges. */
const LANE = 9;
/** Between the border of a node and the bend of its edge. */
const STUB = 12;

/** `most`: the height from which on a graph is wrapped. */
export function layOutColumns(graph: DrawnGraph, sizeOf: SizeOf, most: number): GraphLayout {
  const whole = layOutGraph(graph, 'down', sizeOf, { isTight: true });
  if (whole.height <= most) return whole;
  const columns = toColumns(graph, whole, sizeOf, most);
  return columns.length < 2 ? whole : place(graph, columns, sizeOf);
}

/** Node ids by column. Columns are about equally high and end where the fewest edges are cut. */
function toColumns(
  { nodes, edges }: DrawnGraph,
  { positions, height }: GraphLayout,
  sizeOf: SizeOf,
  most: number,
): readonly (readonly string[])[] {
  const middleOf = (id: string): number => (positions.get(id)?.y ?? 0) + sizeOf(id).height / 2;
  const ranks = [...new Set(nodes.map(({ id }) => Math.round(middleOf(id))))].sort((a, b) => a - b);
  const rankOf = new Map(nodes.map(({ id }) => [id, ranks.indexOf(Math.round(middleOf(id)))]));
  /** Edges that go past the beginning of a rank. */
  const cutBy = (rank: number): number =>
    edges.filter(({ from, to }) => {
      const [one = 0, other = 0] = [rankOf.get(from), rankOf.get(to)];
      return Math.min(one, other) < rank && Math.max(one, other) >= rank;
    }).length;
  const target = height / Math.ceil(height / most);
  const starts = [0];
  while (starts.length < MOST_COLUMNS) {
    const first = ranks[starts.at(-1) ?? 0] ?? 0;
    const offset = (rank: number): number => (ranks[rank] ?? height) - first;
    if (height - first <= Math.max(target * 1.2, most)) break;
    const open = ranks
      .map((_, rank) => rank)
      .filter((rank) => rank > (starts.at(-1) ?? 0) && offset(rank) >= target * 0.7 && offset(rank) <= most);
    const cost = (rank: number): number => cutBy(rank) * target * 0.15 + Math.abs(offset(rank) - target);
    // A rank that is higher than a column gets one of its own.
    const next = open.length > 0 ? open.reduce((a, b) => (cost(b) < cost(a) ? b : a)) : starts.length;
    if (next <= (starts.at(-1) ?? 0) || next >= ranks.length) break;
    starts.push(next);
  }
  const columnOf = (rank: number): number => starts.findLastIndex((start) => start <= rank);
  return starts.map((_, column) =>
    nodes.filter(({ id }) => columnOf(rankOf.get(id) ?? 0) === column).map(({ id }) => id),
  );
}

const MOST_COLUMNS = 40;

type Box = Point & Size;

interface Column {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly left: number;
  readonly right: number;
}

function place(graph: DrawnGraph, columns: readonly (readonly string[])[], sizeOf: SizeOf): GraphLayout {
  const { nodes, edges } = graph;
  const columnOf = new Map(columns.flatMap((ids, column) => ids.map((id) => [id, column] as const)));
  const isWithin = ({ from, to }: DrawnGraph['edges'][number]): boolean =>
    columnOf.get(from) === columnOf.get(to);
  const between = edges.filter((edge) => !isWithin(edge));
  /** The gutter before a column has the labels of the edges that end in the column. */
  const labelRoom = (column: number): number =>
    Math.max(
      0,
      ...between
        .filter(({ to }) => columnOf.get(to) === column)
        .map((edge) => widthOfLabel(labelOf(edge, edges))),
    );
  const placed: Column[] = [];
  const routes = new Map<string, EdgeRoute>();
  let height = 0;
  for (const [column, ids] of columns.entries()) {
    const left = (placed.at(-1)?.right ?? 0) + GUTTER + labelRoom(column);
    const part = {
      nodes: nodes.filter(({ id }) => columnOf.get(id) === column),
      edges: edges.filter((edge) => isWithin(edge) && columnOf.get(edge.from) === column),
    };
    const own = layOutGraph(part, 'down', sizeOf, { isTight: true, among: edges });
    const boxes = new Map(
      ids.map((id) => {
        const { x = 0, y = 0 } = own.positions.get(id) ?? {};
        return [id, { x: x + left, y, ...sizeOf(id) }] as const;
      }),
    );
    for (const [id, route] of own.routes) routes.set(id, moveRoute(route, { x: left, y: 0 }));
    placed.push({ boxes, left, right: left + own.width });
    height = Math.max(height, own.height);
  }
  const route = createRouter(placed, height);
  for (const { id, from, to } of between) {
    const found = route([columnOf.get(from) ?? 0, from], [columnOf.get(to) ?? 0, to]);
    if (found) routes.set(id, found);
  }
  return withMargin(placed, routes);
}

type Place = readonly [column: number, id: string];

/** Routes one edge after the other; parallel parts of edges get lanes of their own. */
function createRouter(columns: readonly Column[], height: number) {
  const lanes = new Map<string, number>();
  const nextLane = (name: string): number => {
    const lane = lanes.get(name) ?? 0;
    lanes.set(name, lane + 1);
    return lane * LANE;
  };
  /** A vertical line in the gutter before a column, or after the last one. */
  const inGutter = (column: number): number =>
    (columns[column - 1]?.right ?? (columns[0]?.left ?? 0) - STUB * 2) + nextLane(`gutter ${column}`);
  return ([fromColumn, from]: Place, [toColumn, to]: Place): EdgeRoute | undefined => {
    const source = columns[fromColumn]?.boxes.get(from);
    const target = columns[toColumn]?.boxes.get(to);
    if (!source || !target) return undefined;
    const start = leave(source, columns[fromColumn]);
    const end = arrive(target, columns[toColumn]);
    const [out, into] = [start.at(-1)?.y ?? 0, end[0]?.y ?? 0];
    const x = inGutter(fromColumn + 1);
    const isNext = toColumn === fromColumn + 1;
    // A way back passes below the columns, a way past others above them.
    const corridor = toColumn < fromColumn ? height + nextLane('below') : -nextLane('above');
    const last = isNext ? x : inGutter(toColumn);
    const bends = isNext
      ? [
          { x, y: out },
          { x, y: into },
        ]
      : [
          { x, y: out },
          { x, y: corridor },
          { x: last, y: corridor },
          { x: last, y: into },
        ];
    const label = { x: (last + (end[0]?.x ?? last)) / 2, y: into };
    return { points: [...start, ...bends, ...end], label, isSquare: true };
  };
}

/** From the right side of a node, or from below it where another node is beside it. */
function leave(node: Box, column: Column | undefined): readonly Point[] {
  const { x, y, width, height } = node;
  if (isFree(column, (other) => isBeside(node, other) && other.x > x))
    return [{ x: x + width, y: y + height / 2 }];
  const bottom = y + height;
  return [
    { x: x + width / 2, y: bottom },
    { x: x + width / 2, y: bottom + STUB },
  ];
}

/** To the left side of a node, or from above it. */
function arrive(node: Box, column: Column | undefined): readonly Point[] {
  const { x, y, width, height } = node;
  if (isFree(column, (other) => isBeside(node, other) && other.x < x)) return [{ x, y: y + height / 2 }];
  return [
    { x: x + width / 2, y: y - STUB },
    { x: x + width / 2, y },
  ];
}

function isFree(column: Column | undefined, isInTheWay: (other: Box) => boolean): boolean {
  return ![...(column?.boxes.values() ?? [])].some(isInTheWay);
}

function isBeside(node: Box, other: Box): boolean {
  return other !== node && other.y < node.y + node.height && other.y + other.height > node.y;
}

const MARGIN = 16;

/** The graph begins at 0, with a margin around nodes and edges. */
function withMargin(columns: readonly Column[], routes: ReadonlyMap<string, EdgeRoute>): GraphLayout {
  const boxes = columns.flatMap((column) => [...column.boxes]);
  const corners = boxes.flatMap(([, { x, y, width, height }]) => [
    { x, y },
    { x: x + width, y: y + height },
  ]);
  const points = [...corners, ...[...routes.values()].flatMap((route) => route.points)];
  const [left, top] = [Math.min(...points.map(({ x }) => x)), Math.min(...points.map(({ y }) => y))];
  const by = { x: MARGIN - left, y: MARGIN - top };
  return {
    positions: new Map(boxes.map(([id, { x, y }]) => [id, { x: x + by.x, y: y + by.y }])),
    routes: new Map([...routes].map(([id, route]) => [id, moveRoute(route, by)])),
    width: Math.max(...points.map(({ x }) => x)) + by.x + MARGIN,
    height: Math.max(...points.map(({ y }) => y)) + by.y + MARGIN,
  };
}
