/** The conversation at a moment of a replay, in place of the live one: its timeline, and why nothing can be done here. */
import { History } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { setMoment } from '../../navigation/moment.ts';
import type { ConversationPicture } from '../../state/conversation-store.ts';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { TimelineActions } from '../timeline/rows/timeline-row.tsx';
import { Timeline } from '../timeline/timeline.tsx';
import type { Replay } from './create-replay.ts';
import ReplayBeginning from './replay-beginning.tsx';

interface ReplayPaneProps {
  readonly replay: Replay | undefined;
  readonly picture: ConversationPicture | undefined;
  readonly index: number;
}

export default function ReplayPane({ replay, picture, index }: ReplayPaneProps) {
  const { t } = useTranslation();
  const actions = useMemo(
    (): TimelineActions => ({ ...NO_ACTIONS, loadEarlier: (source) => void replay?.loadEarlier(source) }),
    [replay],
  );
  if (!picture) return <Skeleton className="mx-auto mt-8 h-20 w-[min(44rem,90%)]" />;
  const { timeline, runs, active, called } = picture;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1">
        {timeline.length === 0 ? (
          <ReplayBeginning />
        ) : (
          <Timeline
            {...{ timeline, runs, active, called, actions }}
            words={NO_WORDS}
            isConnected={false}
            isChoosing={false}
            // The moment is what happened last.
            sent={index + 1}
          />
        )}
      </div>
      <div className="shrink-0 px-4 pt-1 pb-3 sm:px-6">
        <div className="mx-auto flex w-full max-w-3xl flex-wrap items-center justify-end gap-x-3 gap-y-2 rounded-xl border bg-canvas px-3.5 py-2.5 text-ink-soft">
          <History aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
          <p className="min-w-0 flex-1 basis-60 text-sm">{t('replay.isPast')}</p>
          <Button size="sm" onClick={() => setMoment(undefined)}>
            {t('replay.toPresent')}
          </Button>
        </div>
      </div>
    </div>
  );
}

const noop = (): void => undefined;

const NO_ACTIONS: TimelineActions = {
  input: noop,
  resume: noop,
  loadEarlier: noop,
  retryNow: noop,
  stop: noop,
  skip: undefined,
  waive: undefined,
  withdraw: noop,
};

const NO_WORDS = { read: () => undefined, subscribe: () => noop } as const;
