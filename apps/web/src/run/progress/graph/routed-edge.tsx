/** An edge of the graph, drawn along its route. */
import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react';
import { type EdgeRoute, toPath } from './edge-route.ts';

export type FlowEdge = Edge<{ readonly route: EdgeRoute }, 'routed'>;

export function RoutedEdge({ id, data, label, markerEnd }: EdgeProps<FlowEdge>) {
  if (!data) return undefined;
  const { x, y } = data.route.label;
  return (
    <BaseEdge
      id={id}
      path={toPath(data.route)}
      label={label}
      labelX={x}
      labelY={y}
      {...(markerEnd === undefined ? {} : { markerEnd })}
    />
  );
}
