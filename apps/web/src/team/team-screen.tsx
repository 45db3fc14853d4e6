/** The team: who is doing what, workers, people and roles, the own account, the audit log. */
import '../i18n/team-texts.ts';
import { LogOut } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { useTeamServer } from '../state/team-server.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { AccountSection } from './account-section.tsx';
import { ActivitySection } from './activity-section.tsx';
import { AuditSection } from './audit-section.tsx';
import { PeopleSection } from './people-section.tsx';
import { QuotasSection } from './quotas-section.tsx';
import { team } from './team-client.ts';

const SECTIONS = ['activity', 'people', 'quotas', 'account', 'audit'] as const;

export default function TeamScreen() {
  const { t } = useTranslation();
  const me = useTeamServer((state) => state.me);
  const [shown, setShown] = useState<(typeof SECTIONS)[number]>('activity');
  const signOut = useAction(async () => {
    await team.account.signOut({ body: {} });
    location.assign('/sign-in');
  });
  if (!me) return undefined;
  const { person } = me;
  const sections = SECTIONS.filter((name) => name !== 'audit' || person.isAdmin);
  return (
    <div className="h-full overflow-auto [scrollbar-gutter:stable] bg-canvas">
      <div className="page-column flex flex-col gap-5">
        <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <div className="min-w-0">
            <h1 className="text-xl font-semibold tracking-tight">{t('team.title')}</h1>
            <p className="mt-0.5 flex flex-wrap items-center gap-2 text-ink-faint">
              <span>{t('team.signedInAs', { name: toShownLine(person.name) })}</span>
              {person.isAdmin ? <Badge>{t('team.admin')}</Badge> : undefined}
            </p>
          </div>
          <Button icon={<LogOut className="size-4" />} isBusy={signOut.isBusy} onClick={signOut.run}>
            {t('team.signOut')}
          </Button>
        </header>
        <ErrorNote issue={signOut.issue} />
        <nav aria-label={t('team.sections')} className="no-scrollbar flex gap-1 overflow-x-auto border-b">
          {sections.map((name) => (
            <button
              key={name}
              type="button"
              aria-current={name === shown ? 'page' : undefined}
              onClick={() => setShown(name)}
              className={classNames(
                '-mb-px h-9 shrink-0 border-b-2 px-3 font-medium -outline-offset-2',
                name === shown
                  ? 'border-accent text-ink'
                  : 'border-transparent text-ink-faint hover:text-ink',
              )}
            >
              {t(`team.section.${name}`)}
            </button>
          ))}
        </nav>
        {shown === 'activity' ? <ActivitySection me={me} /> : undefined}
        {shown === 'people' ? <PeopleSection me={me} /> : undefined}
        {shown === 'quotas' ? <QuotasSection me={me} /> : undefined}
        {shown === 'account' ? <AccountSection me={me} /> : undefined}
        {shown === 'audit' ? <AuditSection /> : undefined}
      </div>
    </div>
  );
}
