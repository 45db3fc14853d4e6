/** Where an arrow key leads on the stage: along an edge, or to another branch of the same node. Pure. */
import type { ProgressEdge } from '../to-progress.ts';

type Edges = readonly Pick<ProgressEdge, 'from' | 'to' | 'isAccepted'>[];

/** Undefined where the key leads nowhere. Edges that were taken come first. */
export function followEdge(edges: Edges, id: string, key: string): string | undefined {
  const sorted = [...edges].sort((one, other) => Number(other.isAccepted) - Number(one.isAccepted));
  const next = sorted.filter(({ from, to }) => from === id && to !== id).map(({ to }) => to);
  const before = sorted.filter(({ from, to }) => to === id && from !== id).map(({ from }) => from);
  switch (key) {
    case 'ArrowDown':
      return next[0];
    case 'ArrowUp':
      return before[0];
    case 'ArrowRight':
    case 'ArrowLeft': {
      const parent = before[0];
      const branches = edges.filter(({ from }) => from === parent).map(({ to }) => to);
      const step = key === 'ArrowRight' ? 1 : -1;
      const beside = branches[branches.indexOf(id) + step];
      return beside ?? (branches.length > 1 ? undefined : step > 0 ? next[0] : before[0]);
    }
    default:
      return undefined;
  }
}
