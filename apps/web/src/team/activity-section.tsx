/** Works that run or wait, by who started them; workers, and what waits for them. */
import type { Me } from '@crewagent/protocol/api/accounts';
import type { ShownWorker } from '@crewagent/protocol/api/team';
import { useState } from 'react';
import { useProjects } from '../api/queries.ts';
import { formatWhen } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge } from '../ui/badge.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Checkbox } from '../ui/forms/checkbox.tsx';
import { Note } from '../ui/note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { InboxPanel } from './inbox-panel.tsx';
import { Panel } from './panel.tsx';
import { TEAM_KEYS, team, useTeamQuery } from './team-client.ts';
import { WorkButton } from './work-button.tsx';

export function ActivitySection({ me }: { readonly me: Me }) {
  return (
    <>
      <InboxPanel />
      <ActiveWorks me={me} />
      <Workers />
    </>
  );
}

function ActiveWorks({ me }: { readonly me: Me }) {
  const { t } = useTranslation();
  const { data, error } = useTeamQuery(TEAM_KEYS.works, () => team.activity.works(), true);
  const { data: projects = [] } = useProjects();
  const [isMine, setMine] = useState(false);
  const names = new Map(projects.map(({ projectId, name }) => [projectId, toShownLine(name)]));
  const works = data?.works.filter(({ person }) => !isMine || person?.personId === me.person.personId);
  return (
    <Panel
      title={t('team.works.title')}
      aside={<Checkbox label={t('team.works.mine')} isChecked={isMine} onChange={setMine} />}
    >
      <ErrorNote issue={error} />
      {works?.length === 0 ? <p className="text-ink-faint">{t('team.works.none')}</p> : undefined}
      <ul aria-label={t('team.works.title')} className="-mx-2 flex flex-col">
        {works?.map((work) => (
          <li key={work.workId}>
            <WorkButton
              work={work}
              facts={[
                work.person ? toShownLine(work.person.name) : t('team.works.somebody'),
                names.get(work.projectId),
              ]}
            />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Workers() {
  const { t } = useTranslation();
  const { data, error } = useTeamQuery(TEAM_KEYS.workers, () => team.activity.workers(), true);
  const { data: queue } = useTeamQuery(TEAM_KEYS.queue, () => team.activity.queue(), true);
  const waiting =
    queue && (queue.open > 0 ? t('team.workers.queue', { count: queue.open }) : t('team.workers.queueEmpty'));
  const oldest = queue?.oldestAt && t('team.workers.oldest', { when: formatWhen(queue.oldestAt) });
  return (
    <Panel title={t('team.workers.title')} text={[waiting, oldest].filter(Boolean).join(' ')}>
      <ErrorNote issue={error} />
      {queue?.unserved.map(({ labels, works }) => (
        <Note
          key={labels.join()}
          level="warning"
          title={t('team.workers.unserved', { count: works, labels: labels.map(toShownLine).join(', ') })}
        />
      ))}
      {data?.workers.length === 0 ? <p className="text-ink-faint">{t('team.workers.none')}</p> : undefined}
      <ul aria-label={t('team.workers.title')} className="flex flex-col divide-y divide-line">
        {data?.workers.map((worker) => (
          <WorkerRow key={worker.workerId} worker={worker} />
        ))}
      </ul>
    </Panel>
  );
}

function WorkerRow({ worker }: { readonly worker: ShownWorker }) {
  const { t } = useTranslation();
  const { workerId, host, version, slots, busy, labels, seenAt, isLost, isDraining } = worker;
  const status = isLost ? 'lost' : isDraining ? 'draining' : 'ready';
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="min-w-40 grow basis-0">
        <span className="block truncate font-medium">{toShownLine(host ?? workerId)}</span>
        <span className="block text-sm text-ink-faint">
          {[t('team.workers.slots', { busy, slots }), `v${version}`, ...labels.map(toShownLine)].join(' · ')}
        </span>
      </span>
      <span className="text-xs text-ink-faint">{t('team.workers.seen', { when: formatWhen(seenAt) })}</span>
      <Badge tone={isLost ? 'bad' : isDraining ? 'warn' : 'ok'}>{t(`team.workers.${status}`)}</Badge>
    </li>
  );
}
