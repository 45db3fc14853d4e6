/** The run's graph in a workspace tab. A node opens in the inspector. */
import type { Story } from '@crewagent/protocol/story/story';
import { requestNodeFocus } from '../../state/node-focus.ts';
import ProgressGraph from './graph/progress-graph.tsx';
import type { Runs, ShownGraph } from './to-progress.ts';
import { useGraphLevel } from './use-graph-level.ts';

interface LargeGraphProps {
  readonly projectId: string;
  readonly view: Readonly<Story>;
  readonly graph: ShownGraph;
  readonly runs: Runs;
  readonly onChooseRun: (runId: string) => void;
}

export default function LargeGraph({ projectId, view, graph, runs, onChooseRun }: LargeGraphProps) {
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
