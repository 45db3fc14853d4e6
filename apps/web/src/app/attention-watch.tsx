/**
 * Notifies the user when another Work starts to need attention: a persistent toast, the page title, and a sound or notification if
 * they enabled it.
 */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { toStatus } from '@crewagent/protocol/status';
import { useEffect, useRef } from 'react';
import { useWork } from '../api/work-context.tsx';
import { type Translation, useTranslation } from '../i18n/use-translation.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import type { Route } from '../navigation/router.ts';
import { useBadge } from '../state/desktop-bridge.ts';
import { useLayout } from '../state/layout.ts';
import { playSound, useNews } from '../state/news.ts';
import { useWaitingTitle } from '../state/page-title.ts';
import { askedOf, attentionCount, attentionOf, shownPhase } from '../state/work-list.ts';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useTitleOf } from '../works/use-title-of.ts';
import { notify } from './conversation/use-attention.ts';

export function AttentionWatch({ route }: { readonly route: Route }): undefined {
  const { t } = useTranslation();
  const { list } = useWork();
  const titleOf = useTitleOf();
  const { activeFile } = useLayout('projectId' in route ? route.projectId : '');
  const inSight = route.name === 'work' && activeFile === undefined ? route.workId : undefined;
  // Start lists them, with what they ask.
  const isListed = route.name === 'start';
  const asking = list ? attentionOf(list) : [];
  const count = list ? attentionCount(list) : 0;
  useWaitingTitle(count);
  useBadge(count);
  const known = useRef<ReadonlySet<string> | undefined>(undefined);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the asking Works or the visible one change
  useEffect(() => {
    if (!list) return;
    const { dismissWaiting, toasts } = useToasts.getState();
    const keys = new Set(asking.map(keyOf));
    for (const { waitsFor } of toasts)
      if (
        waitsFor !== undefined &&
        (isListed || waitsFor === inSight || !asking.some(({ workId }) => workId === waitsFor))
      )
        dismissWaiting(waitsFor);
    // Works that waited before the page was opened are only counted on the rail, also if they are loaded later.
    const isFresh = (work: WorkSummary): boolean =>
      !known.current?.has(keyOf(work)) && !list.loaded?.has(work.workId);
    const fresh = known.current ? asking.filter(isFresh) : [];
    known.current = keys;
    for (const work of fresh) announce(work, { inSight, isListed, t, title: titleOf(work) });
  }, [list, inSight, isListed]);
  return undefined;
}

/** A Work that asks a second time gets another key. */
function keyOf({ workId, updatedAt, reason }: WorkSummary): string {
  return `${workId} ${reason?.code} ${updatedAt}`;
}

interface Announcement {
  readonly inSight: string | undefined;
  readonly isListed: boolean;
  readonly t: Translation['t'];
  readonly title: string;
}

function announce(work: WorkSummary, { inSight, isListed, t, title }: Announcement): void {
  const { path, prompt } = askedOf(work);
  const what =
    path !== undefined
      ? t('attention.change', { path: toShownLine(path).replace(/^@project\//, '') })
      : prompt !== undefined
        ? t('attention.question', { prompt: toShownLine(prompt) })
        : toStatus(work).isAsking
          ? t('attention.here')
          : t(`phase.${shownPhase(work)}`);
  const { wantsNews, wantsSound } = useNews.getState();
  const isSeen = work.workId === inSight && !document.hidden;
  if (wantsSound && !isSeen) playSound();
  if (wantsNews && document.hidden && work.workId !== inSight) notify(title, what);
  if (isListed || work.workId === inSight) return;
  const { projectId, workId } = work;
  useToasts.getState().showWaiting(workId, `${toShownLine(title)}: ${what}`, {
    label: t('attention.review'),
    onChoose: () => openInFront({ name: 'work', projectId, workId }),
  });
}
