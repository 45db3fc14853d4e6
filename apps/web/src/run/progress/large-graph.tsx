/** The run's graph in a workspace tab. A node opens in the inspector. */
import type { RunView } from '@crewagent/protocol/run-view';
import { useMemo } from 'react';
import { requestNodeFocus } from '../../state/node-focus.ts';
import ProgressGraph from './graph/progress-graph.tsx';
import { type ShownGraph, toProgress } from './to-progress.ts';

interface LargeGraphProps {
  readonly projectId: string;
  readonly view: Readonly<RunView>;
  readonly graph: ShownGraph;
}

export default function LargeGraph({ projectId, view, graph }: LargeGraphProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view changes with each event, its progress only with these
  const progress = useMemo(
    () => toProgress(view, graph),
    [view.timeline.length, view.state, view.phase, view.nodes, graph],
  );
  return <ProgressGraph progress={progress} onOpenNode={(nodeId) => requestNodeFocus(projectId, nodeId)} />;
}
