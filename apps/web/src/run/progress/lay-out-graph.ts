/** Where each node stands: from left to right, in the order the edges give. */
import { Graph, layout } from '@dagrejs/dagre';
import type { Progress } from './to-progress.ts';

export const NODE_WIDTH = 184;
export const NODE_HEIGHT = 52;

export function layOutGraph({ nodes, edges }: Progress): ReadonlyMap<string, { x: number; y: number }> {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 28, ranksep: 92, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { id, from, to } of edges) graph.setEdge(from, to, {}, id);
  layout(graph);
  return new Map(
    nodes.map(({ id }) => {
      const { x, y } = graph.node(id) as { x: number; y: number };
      return [id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }];
    }),
  );
}
