/** Says where a fork comes from, and which forks a run has, with ways there and to a comparison. */
import '../../i18n/fork-texts.ts';
import type { Story } from '@crewagent/protocol/story/story';
import { GitCompareArrows, GitFork } from 'lucide-react';
import { useApi, useApiQuery } from '../../api/api-context.tsx';
import { formatWhen } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { navigate } from '../../navigation/router.ts';
import { useOffers } from '../../state/team-server.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { type MenuList, MoreMenu, menuItem } from '../../ui/overlays/menu.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';
import { nodeTitle } from '../shown-names.ts';

export default function ForkLine({ view }: { readonly view: Readonly<Story> }) {
  const { t } = useTranslation();
  const workId = view.runId;
  const titleOf = (nodeId: string): string => toShownLine(nodeTitle(view, nodeId));
  const client = useApi();
  const isOffered = useOffers('works.forks');
  const { data } = useApiQuery(['forks', workId], ({ works }, call) => works.forks({ workId }, call), {
    staleTime: 10_000,
    retry: false,
    enabled: isOffered && workId !== '',
  });
  const opening = useAction(async (other: string) => {
    const { work } = await client.works.show({ workId: other });
    openInFront({ name: 'work', projectId: work.projectId, workId: other });
  });
  const { forks = [], origin } = data ?? {};
  if (!isOffered || (!origin && forks.length === 0)) return undefined;
  const others = [...(origin ? [origin.workId] : []), workId, ...forks.map((fork) => fork.workId)];
  const items: MenuList = forks.map((fork) => {
    const label = t('forks.forkAt', { step: titleOf(fork.nodeId), when: formatWhen(fork.createdAt) });
    return menuItem(fork.workId, GitFork, label, () =>
      openInFront({ name: 'work', projectId: fork.projectId, workId: fork.workId }),
    );
  });
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2.5 border-t bg-surface px-3 py-2 text-sm">
      <GitFork aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
      <span className="min-w-0 grow text-ink-soft wrap-anywhere">
        {origin
          ? t('forks.from', { step: titleOf(origin.nodeId) })
          : t('forks.forksOf', { count: forks.length })}
      </span>
      {origin ? (
        <Button size="sm" isBusy={opening.isBusy} onClick={() => opening.run(origin.workId)}>
          {t('forks.open')}
        </Button>
      ) : undefined}
      <Button
        size="sm"
        icon={<GitCompareArrows className="size-3.5" />}
        onClick={() => navigate({ name: 'compare', works: others.slice(0, MOST_COMPARED) })}
      >
        {t('forks.compare')}
      </Button>
      {items.length > 0 ? (
        <MoreMenu label={t('forks.forksOf', { count: forks.length })} size="sm" items={items} />
      ) : undefined}
      <ErrorNote issue={opening.issue} />
    </div>
  );
}

const MOST_COMPARED = 6;
