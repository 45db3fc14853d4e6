/** The audit log of the team, for administrators. */
import type { AuditEntry } from '@crewagent/protocol/api/accounts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { saveResponse } from '../api/save-response.ts';
import { formatDateTime } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { Panel } from './panel.tsx';
import { TEAM_KEYS, team } from './team-client.ts';

const PAGE = 50;

export function AuditSection() {
  const { t } = useTranslation();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: TEAM_KEYS.audit,
    queryFn: async ({ pageParam }: { pageParam: string | undefined }) => {
      const before = pageParam === undefined ? {} : { before: pageParam };
      return (await team.audit.list({ query: { limit: String(PAGE), ...before } })).entries;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.length < PAGE ? undefined : String(last.at(-1)?.entryId)),
  });
  const save = useAction(async () => saveResponse(await team.audit.export(), 'audit.jsonl'));
  const entries = data?.pages.flat();
  return (
    <Panel
      title={t('team.section.audit')}
      text={t('team.audit.text')}
      aside={
        <Button icon={<Download className="size-4" />} isBusy={save.isBusy} onClick={save.run}>
          {t('team.audit.export')}
        </Button>
      }
    >
      <ErrorNote issue={error ?? save.issue} />
      {entries?.length === 0 ? <p className="text-ink-faint">{t('team.audit.none')}</p> : undefined}
      {entries && entries.length > 0 ? <Entries entries={entries} /> : undefined}
      {hasNextPage ? (
        <div>
          <Button size="sm" kind="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('team.audit.more')}
          </Button>
        </div>
      ) : undefined}
    </Panel>
  );
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const { t } = useTranslation();
  const heads = ['time', 'person', 'action', 'outcome'] as const;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
    <section className="overflow-x-auto" tabIndex={0} aria-label={t('team.audit.text')}>
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b text-start text-ink-faint">
            {heads.map((head) => (
              <th key={head} scope="col" className="py-1.5 pe-4 text-start font-medium whitespace-nowrap">
                {t(`team.audit.${head}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {entries.map(({ entryId, at, person, action, outcome }) => (
            <tr key={entryId}>
              <td className="py-1.5 pe-4 whitespace-nowrap tabular-nums">{formatDateTime(at)}</td>
              <td className="py-1.5 pe-4 whitespace-nowrap">
                {person === undefined ? t('team.audit.nobody') : toShownLine(person)}
              </td>
              <td className="py-1.5 pe-4 font-mono text-xs whitespace-nowrap">{toShownLine(action)}</td>
              <td className="py-1.5 pe-4 whitespace-nowrap">
                {outcome === 'allowed' ? t('team.audit.allowed') : toShownLine(outcome)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
