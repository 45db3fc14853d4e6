/** Placeholder of a section while the settings load, or if they cannot be read. */

import type { ReactNode } from 'react';
import { useSettings } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

export function SettingsGate({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const { data, error, refetch, isFetching } = useSettings();
  if (error) {
    return (
      <div className="mt-5">
        <ErrorNote
          issue={error}
          title={t('settings.unreadable')}
          advice={t('settings.unreadableAdvice')}
          actions={
            <Button isBusy={isFetching} onClick={() => void refetch()}>
              {t('settings.again')}
            </Button>
          }
        />
      </div>
    );
  }
  if (!data) {
    return (
      <div className="mt-5 flex flex-col gap-4">
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
      </div>
    );
  }
  return (
    <>
      <p className="pt-3 text-sm text-ink-faint">{t('settings.originText')}</p>
      {children}
    </>
  );
}
