/** The replay of a Work while the address of the page names a moment. What replays is loaded then. */
import { startTransition, useEffect, useMemo, useState } from 'react';
import type { WorkApi } from '../../api/work-api.ts';
import { readMoment, useReplayKey } from '../../navigation/moment.ts';
import type { ConversationPicture } from '../../state/conversation-store.ts';
import { toError } from '../../ui/errors/error-texts.ts';
import type { Past } from '../past.ts';
import type { Replay, ReplayState } from './create-replay.ts';

export interface OpenReplay {
  /** Undefined while the code is loading. */
  readonly replay: Replay | undefined;
  /** What is shown; the replay itself may be ahead. */
  readonly state: ReplayState | undefined;
  /** Undefined until the log is loaded. */
  readonly picture: ConversationPicture | undefined;
  readonly past: Past | undefined;
  readonly issue: Error | undefined;
}

export function useReplay(api: WorkApi, workId: string): OpenReplay | undefined {
  const key = useReplayKey();
  const [replay, setReplay] = useState<Replay>();
  const [issue, setIssue] = useState<Error>();
  useEffect(() => {
    if (key === undefined) return undefined;
    let isOver = false;
    let opened: Replay | undefined;
    const open = async (): Promise<void> => {
      const [{ createReplay }] = await Promise.all([
        import('./create-replay.ts'),
        import('../../i18n/replay-texts.ts'),
      ]);
      if (isOver) return;
      opened = createReplay({ api, workId, moment: readMoment() ?? '' });
      setReplay(opened);
    };
    open().catch((error: unknown) => setIssue(toError(error)));
    return () => {
      isOver = true;
      opened?.close();
      setReplay(undefined);
      setIssue(undefined);
    };
  }, [api, workId, key]);
  const [state, setState] = useState<ReplayState>();
  useEffect(() => {
    // Rendering a moment may take longer than a frame: a newer one interrupts it, and the slider moves on meanwhile.
    const update = (): void => startTransition(() => setState(replay?.read()));
    update();
    return replay?.subscribe(update);
  }, [replay]);
  const ts = state?.event?.ts;
  const past = useMemo(
    () => (replay && ts !== undefined ? { ts, eventsOf: replay.eventsOf } : undefined),
    [replay, ts],
  );
  if (key === undefined) return undefined;
  return { replay, state, picture: state?.picture, past, issue: issue ?? state?.issue };
}
