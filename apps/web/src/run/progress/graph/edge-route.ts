/** The line of an edge: from the border of one node to that of the other, past the nodes between them. Pure. */
import type { NodeType } from '@crewagent/protocol/workflow';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface EdgeRoute {
  readonly points: readonly Point[];
  readonly label: Point;
}

/** A node by its center. */
export interface NodeShape extends Point {
  readonly type: NodeType;
  readonly width: number;
  readonly height: number;
}

/** `bends`: the points that the layout gives the edge between its two nodes. */
export function toRoute(
  from: NodeShape,
  to: NodeShape,
  { bends, label }: { readonly bends: readonly Point[]; readonly label: Point },
): EdgeRoute {
  const start = borderPoint(from, bends[0] ?? to);
  const end = borderPoint(to, bends.at(-1) ?? from);
  return { points: [start, ...bends, end], label };
}

/** Where the line from the center of a node to a point leaves the node. */
function borderPoint({ x, y, width, height, type }: NodeShape, towards: Point): Point {
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
