/** A small picture of a graph: its shape at a glance, without labels. Drawn by hand: a card needs no layout library. */
import '../../i18n/package-texts.ts';
import type { GalleryCard } from '@crewagent/protocol/api/packages';
import { useTranslation } from '../../i18n/use-translation.ts';

type Graph = NonNullable<GalleryCard['graph']>;

interface Point {
  readonly x: number;
  readonly y: number;
}

const STEP_X = 34;
const STEP_Y = 20;
const SIZE = 6;
const MIN_WIDTH = 7 * STEP_X;
const MIN_HEIGHT = 3 * STEP_Y;
const MAX_COLUMNS = 12;
/** Between two rows, in nodes. */
const ROW_GAP = 0.5;

export function GraphSketch({ graph }: { readonly graph: Graph }) {
  const { t } = useTranslation();
  const points = toPoints(graph);
  const all = [...points.values()];
  const [right, bottom] = [Math.max(...all.map(({ x }) => x)), Math.max(...all.map(({ y }) => y))];
  // A short graph is drawn at the size of a longer one, in the middle.
  const [width, height] = [
    Math.max(right + 2 * STEP_X, MIN_WIDTH),
    Math.max(bottom + 2 * STEP_Y, MIN_HEIGHT),
  ];
  return (
    <svg
      role="img"
      aria-label={t('gallery.picture', { count: graph.nodes.length })}
      viewBox={`${(right - width) / 2} ${(bottom - height) / 2} ${width} ${height}`}
      className="h-full w-full"
    >
      {graph.edges.map(({ from, to }) => {
        const [a, b] = [points.get(from), points.get(to)];
        return a && b ? (
          <path
            key={`${from} ${to}`}
            d={`M${a.x},${a.y}C${(a.x + b.x) / 2},${a.y} ${(a.x + b.x) / 2},${b.y} ${b.x},${b.y}`}
            className="fill-none stroke-control"
            strokeWidth={1.5}
          />
        ) : undefined;
      })}
      {graph.nodes.map(({ id, type }) => {
        const { x, y } = points.get(id) ?? { x: 0, y: 0 };
        const isDecision = type === 'decision';
        return (
          <rect
            key={id}
            x={x - SIZE}
            y={y - SIZE}
            width={SIZE * 2}
            height={SIZE * 2}
            rx={isDecision ? 1 : 4}
            transform={isDecision ? `rotate(45 ${x} ${y})` : undefined}
            className={id === graph.entryNodeId ? 'fill-accent' : 'fill-surface stroke-accent-text'}
            strokeWidth={1.5}
          />
        );
      })}
    </svg>
  );
}

/**
 * Columns by the longest way from the entry, ways back left out; the nodes of a column stand one below the other, centred. A long
 * graph goes to and fro in rows.
 */
export function toPoints({ nodes, edges, entryNodeId }: Graph): ReadonlyMap<string, Point> {
  const order = new Map(nodes.map(({ id }, index) => [id, index]));
  const ranks = new Map([[entryNodeId, 0]]);
  // A node that is listed earlier is reached by a way back.
  const forward = edges.filter(({ from, to }) => (order.get(from) ?? 0) < (order.get(to) ?? 0));
  for (const { id } of nodes)
    for (const { to } of forward.filter(({ from }) => from === id))
      ranks.set(to, Math.max(ranks.get(to) ?? 0, (ranks.get(id) ?? 0) + 1));
  const columns: string[][] = [];
  for (const { id } of nodes) {
    const rank = ranks.get(id) ?? 0;
    columns[rank] = [...(columns[rank] ?? []), id];
  }
  const tallest = Math.max(...columns.map((column) => column.length));
  const perRow = Math.ceil(columns.length / Math.ceil(columns.length / MAX_COLUMNS));
  return new Map(
    columns.flatMap((column, rank) => {
      const [row, place] = [Math.floor(rank / perRow), rank % perRow];
      const x = (row % 2 === 0 ? place : perRow - 1 - place) * STEP_X;
      const top = row * (tallest + ROW_GAP) + (tallest - column.length) / 2;
      return column.map((id, index): [string, Point] => [id, { x, y: (top + index) * STEP_Y }]);
    }),
  );
}
