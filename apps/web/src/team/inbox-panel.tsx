/** What waits for the person in all projects: their own Works, those handed over, and those that mention them. */
import type { InboxWork } from '@crewagent/protocol/api/team';
import { Check } from 'lucide-react';
import { useChange } from '../api/api-context.tsx';
import { useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { IconButton } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Panel } from './panel.tsx';
import { TEAM_KEYS, team, useTeamQuery } from './team-client.ts';
import { WorkButton } from './work-button.tsx';

export function InboxPanel() {
  const { t } = useTranslation();
  const { data, error } = useTeamQuery(TEAM_KEYS.inbox, () => team.inbox.list(), true);
  const { data: projects = [] } = useProjects();
  const leave = useChange(TEAM_KEYS.inbox, (workId: string) => team.inbox.leave({ workId }));
  const names = new Map(projects.map(({ projectId, name }) => [projectId, toShownLine(name)]));
  const reasonOf = ({ reason, by = '' }: InboxWork): string =>
    t(`team.inbox.${reason}`, { name: toShownLine(by) });
  return (
    <Panel title={t('team.inbox.title')}>
      <ErrorNote issue={error ?? leave.issue} />
      {data?.works.length === 0 ? <p className="text-ink-faint">{t('team.inbox.none')}</p> : undefined}
      <ul aria-label={t('team.inbox.title')} className="-mx-2 flex flex-col">
        {data?.works.map((work) => (
          <li key={work.workId} className="flex items-center gap-1">
            <WorkButton work={work} facts={[reasonOf(work), names.get(work.projectId)]} />
            {work.reason === 'waiting' ? undefined : (
              <IconButton
                label={t('team.inbox.leaveNamed', {
                  title: toShownLine(work.title) || t('team.works.untitled'),
                })}
                disabled={leave.isBusy}
                onClick={() => leave.run(work.workId)}
              >
                <Check className="size-4" />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
