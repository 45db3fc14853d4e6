/** Programs and addresses that are called when something happens: the list, and a form for a new one. */
import '../../i18n/machine-texts.ts';
import { Lock, Webhook } from 'lucide-react';
import { useProjects } from '../../api/queries.ts';
import { useHooks } from '../../api/settings-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { HookForm } from './hook-form.tsx';
import { HookRow } from './hook-row.tsx';

export function HooksSection() {
  const { t } = useTranslation();
  const { data: projects } = useProjects();
  const { data, error } = useHooks();
  return (
    <div className="mt-5 flex flex-col gap-3">
      <ErrorNote issue={error} />
      {data === undefined && !error ? <Skeleton className="h-28" /> : undefined}
      {data?.hooks.length === 0 ? (
        <EmptyState icon={<Webhook />} title={t('hooks.none')}>
          {t('hooks.noneText')}
        </EmptyState>
      ) : undefined}
      {data && data.hooks.length > 0 ? (
        <ul aria-label={t('hooks.list')} className="flex flex-col gap-3">
          {data.hooks.map((listed) => (
            <HookRow
              key={`${listed.isRequired} ${listed.name}`}
              listed={listed}
              projectId={projects?.[0]?.projectId}
            />
          ))}
        </ul>
      ) : undefined}
      {data?.refusal === undefined ? (
        <HookForm />
      ) : (
        <p className="flex max-w-xl items-start gap-2 text-sm text-ink-faint">
          <Lock className="mt-0.5 size-4 shrink-0" />
          {toShownLine(data.refusal)}
        </p>
      )}
    </div>
  );
}
