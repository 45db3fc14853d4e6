/** Adds the steps of the visible workflow to the palette; a chosen step opens in the inspector. */
import { Waypoints } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { bestOf } from '../../palette/best-of.ts';
import type { Command } from '../../palette/commands.ts';
import { useFinder } from '../../palette/finders.ts';
import { requestNodeFocus } from '../../state/node-focus.ts';

interface NamedNodes {
  readonly nodes: readonly { readonly id: string; readonly title: string }[];
}

export function useNodeFinder(projectId: string, graph: NamedNodes | undefined): void {
  const { t } = useTranslation();
  const finder = useMemo(() => {
    const commands = (graph?.nodes ?? []).map(
      ({ id, title }): Command => ({
        id: `node ${id}`,
        title,
        detail: id,
        icon: <Waypoints aria-hidden="true" />,
        group: t('palette.nodes'),
        run: () => requestNodeFocus(projectId, id),
      }),
    );
    return { find: (text: string) => Promise.resolve(bestOf(commands, text)), goesFirst: true as const };
  }, [t, projectId, graph]);
  useFinder(finder);
}
