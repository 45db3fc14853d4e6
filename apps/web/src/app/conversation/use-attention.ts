/**
 * Notifies a user who is elsewhere that the Work waits, is complete or failed: in the page title, and with a browser notification
 * if they enabled it.
 */
import type { RunPhase } from '@crewagent/protocol/run';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useNews } from '../../state/news.ts';
import { usePageTitle } from '../../state/page-title.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';

interface Rest {
  readonly phase: RunPhase;
  /** How many turns there were: a short one may begin and end between two pictures of the page. */
  readonly turns: number;
}

type AnnouncedPhase = Exclude<RunPhase, 'Running'>;

/** `active`: undefined while it is unknown. */
export function useAttention(title: string, active: Rest | undefined): void {
  const { t } = useTranslation();
  const [announced, setAnnounced] = useState<AnnouncedPhase>();
  const before = useRef<Rest>(undefined);
  const name = toShownLine(title);
  const { phase, turns = 0 } = active ?? {};

  useEffect(() => {
    const known = before.current;
    before.current = phase && { phase, turns };
    if (phase === 'Running') setAnnounced(undefined);
    const isNews = known !== undefined && (known.phase !== phase || known.turns !== turns);
    if (!isNews || phase === undefined || phase === 'Running' || !document.hidden) return;
    setAnnounced(phase);
    if (useNews.getState().wantsNews) notify(name, t(`phase.${phase}`));
  }, [phase, turns, name, t]);

  useEffect(() => {
    const update = (): void => {
      if (!document.hidden) setAnnounced(undefined);
    };
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);

  usePageTitle(...(announced ? [`● ${t(`phase.${announced}`)}`] : []), name);
}

export function notify(title: string, body: string): void {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return;
  const note = new Notification(title, { body, tag: `crewagent:${location.pathname}`, icon: '/icon.svg' });
  note.onclick = () => {
    globalThis.focus();
    note.close();
  };
}
