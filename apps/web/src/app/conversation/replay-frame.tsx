/** What a replay changes on the screen of a Work: the bar above its tabs, the timeline, and that everything shows the past. */
import { lazy, type ReactNode, Suspense } from 'react';
import { type LoadEarlier, LoadEarlierContext } from '../../run/load-earlier.ts';
import { PastContext, ViewOnlyContext } from '../../run/past.ts';
import type { OpenReplay } from '../../run/replay/use-replay.ts';
import { PastTimeContext } from '../../ui/use-now.ts';

interface ReplayFrameProps {
  readonly replaying: OpenReplay | undefined;
  /** Of the live conversation. */
  readonly loadEarlier: LoadEarlier;
  readonly isViewOnly: boolean;
  readonly children: ReactNode;
}

export function ReplayFrame({ replaying, loadEarlier, isViewOnly, children }: ReplayFrameProps) {
  const { past, replay } = replaying ?? {};
  return (
    <LoadEarlierContext value={replay?.loadEarlier ?? loadEarlier}>
      <PastContext value={past}>
        <ViewOnlyContext value={isViewOnly}>
          <PastTimeContext value={past && Date.parse(past.ts)}>{children}</PastTimeContext>
        </ViewOnlyContext>
      </PastContext>
    </LoadEarlierContext>
  );
}

interface BelowReplayBarProps {
  readonly replaying: OpenReplay | undefined;
  readonly children: ReactNode;
}

export function BelowReplayBar({ replaying, children }: BelowReplayBarProps) {
  return (
    <div className="flex h-full min-h-0 flex-col *:last:min-h-0 *:last:grow">
      {replaying ? (
        <Suspense fallback={<div className="min-h-14 shrink-0 border-b bg-canvas" />}>
          <ReplayBar replay={replaying.replay} issue={replaying.issue} />
        </Suspense>
      ) : undefined}
      {children}
    </div>
  );
}

/** The conversation at the moment of the replay. */
export function ReplayedConversation({ replaying }: { readonly replaying: OpenReplay }) {
  const { replay, picture, state } = replaying;
  return (
    <Suspense>
      <ReplayPane replay={replay} picture={picture} index={state?.index ?? 0} />
    </Suspense>
  );
}

const ReplayBar = lazy(() => import('../../run/replay/replay-bar.tsx'));

const ReplayPane = lazy(() => import('../../run/replay/replay-pane.tsx'));
