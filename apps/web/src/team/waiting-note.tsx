/** Says that a Work waits for a worker, and for which one. Renders nothing while one has it, or before it is worth a word. */
import '../i18n/team-texts.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Note } from '../ui/note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useNow } from '../ui/use-now.ts';
import { TEAM_KEYS, team, useTeamQuery } from './team-client.ts';

/** An idle worker takes a command within milliseconds. */
const WORTH_MS = 3_000;

export default function WaitingNote({ workId }: { readonly workId: string }) {
  const { t } = useTranslation();
  const { data } = useTeamQuery(TEAM_KEYS.waiting(workId), () => team.activity.waiting({ workId }), true);
  const now = useNow(data?.since !== undefined);
  if (data?.since === undefined || now - Date.parse(data.since) < WORTH_MS) return undefined;
  const labels = data.labels.map(toShownLine).join(', ');
  return (
    <div className="p-3">
      <Note
        level={data.isServed ? 'info' : 'warning'}
        title={
          data.isServed
            ? t('team.workers.waiting')
            : labels === ''
              ? t('team.workers.none')
              : t('team.workers.waitingFor', { labels })
        }
      />
    </div>
  );
}
