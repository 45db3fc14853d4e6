/** Which sub-workflows are opened in a graph: those under way, and what a person opened or closed. Their graphs are loaded then. */
import type { Story } from '@crewagent/protocol/story/story';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { graphQuery } from '../../api/queries.ts';
import { toGraphLevel } from './graph/graph-level.ts';
import type { Runs, ShownGraph } from './to-progress.ts';

export function useGraphLevel(view: Readonly<Story>, graph: ShownGraph | undefined, runs: Runs) {
  const client = useApi();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [graphs, setGraphs] = useState<ReadonlyMap<string, ShownGraph>>(new Map());
  const missing = new Set<string>();
  const isOpen = (path: string, isUnderWay: boolean): boolean => chosen.get(path) ?? isUnderWay;
  const onMissing = (workflow: string): void => void missing.add(workflow);
  const known = [...runs.values()].map(({ runId, timeline, phase }) => `${runId}${timeline.length}${phase}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a view changes with each event, its progress only with these
  const level = useMemo(
    () => (graph ? toGraphLevel(view, graph, { runs, graphs, isOpen, onMissing }) : undefined),
    [view.timeline.length, view.state, view.phase, view.nodes, graph, graphs, chosen, known.join()],
  );
  const hash = view.package?.hash;
  const wanted = [...missing].join('\n');
  useEffect(() => {
    if (hash === undefined || wanted === '') return;
    for (const workflow of wanted.split('\n'))
      queries
        .ensureQueryData(graphQuery(client, hash, workflow))
        .then((found) => setGraphs((before) => new Map(before).set(workflow, found)))
        // Without it the node stays closed, and its steps are in the list.
        .catch(() => undefined);
  }, [client, queries, hash, wanted]);
  return {
    level,
    toggle: (path: string, opens: boolean): void => setChosen((before) => new Map(before).set(path, opens)),
  };
}
