/** The run's graph in a workspace tab. A node opens in the inspector. */
import { requestNodeFocus } from '../../state/node-focus.ts';
import ProgressGraph from './graph/progress-graph.tsx';
import type { ProgressPanelProps } from './progress-panel.tsx';
import { useGraphLevel } from './use-graph-level.ts';

export default function LargeGraph({ projectId, view, graph, runs, onChooseRun }: ProgressPanelProps) {
  const { level, toggle } = useGraphLevel(view, graph, runs);
  if (!level) return undefined;
  return (
    <ProgressGraph
      progress={level.progress}
      level={level}
      onOpenNode={(nodeId) => requestNodeFocus(projectId, nodeId)}
      onToggle={toggle}
      onChooseRun={onChooseRun}
    />
  );
}
