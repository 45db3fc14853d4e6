/** Screen of a Work, connected to the server: with the workflow's graph, the side panels, and its steps in the palette. */
import { Waypoints } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { createWorkApi } from '../../api/create-work-api.ts';
import { useGraph, useProjects } from '../../api/queries.ts';
import { useWorkSummary } from '../../api/work-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { Route } from '../../navigation/router.ts';
import { bestOf } from '../../palette/best-of.ts';
import type { Command } from '../../palette/commands.ts';
import { useFinder } from '../../palette/finders.ts';
import { requestNodeFocus } from '../../state/node-focus.ts';
import { useTitleOf } from '../../works/use-title-of.ts';
import { useSidePanels } from '../shell/use-side-panel.tsx';
import { ConversationScreen, type ShownRun } from './conversation-screen.tsx';

interface LiveWorkProps {
  readonly route: Extract<Route, { name: 'work' }>;
}

export function LiveWork({ route }: LiveWorkProps) {
  const { projectId, workId } = route;
  const client = useApi();
  const api = useMemo(() => createWorkApi(client, projectId), [client, projectId]);
  const summary = useWorkSummary(workId);
  const titleOf = useTitleOf();
  const { data: projects } = useProjects();
  const sidePanels = useSidePanels(projectId, workId);
  const [run, onRun] = useState<ShownRun>();
  const { data } = useGraph(run?.packageHash, run?.workflow);
  const graph = run ? data : undefined;
  useNodeFinder(projectId, graph);
  return (
    <ConversationScreen
      {...{ api, route, graph, onRun, sidePanels }}
      title={summary ? titleOf(summary) : undefined}
      projectName={projects?.find((project) => project.projectId === projectId)?.name}
    />
  );
}

interface NamedNodes {
  readonly nodes: readonly { readonly id: string; readonly title: string }[];
}

/** Adds the steps of the visible workflow to the palette; a chosen step opens in the inspector. */
function useNodeFinder(projectId: string, graph: NamedNodes | undefined): void {
  const { t } = useTranslation();
  const finder = useMemo(() => {
    const commands = (graph?.nodes ?? []).map(
      ({ id, title }): Command => ({
        id: `node ${id}`,
        title,
        synonyms: id,
        icon: <Waypoints />,
        group: t('palette.nodes'),
        run: () => requestNodeFocus(projectId, id),
      }),
    );
    return { find: (text: string) => Promise.resolve(bestOf(commands, text)), goesFirst: true as const };
  }, [t, projectId, graph]);
  useFinder(finder);
}
