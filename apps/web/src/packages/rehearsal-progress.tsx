/** How far the rehearsal of an import is, asked for twice a second. */
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Spinner } from '../ui/button.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';

const POLL_MS = 500;

export function RehearsalProgress({ importId }: { readonly importId: string }) {
  const { t } = useTranslation();
  const { imports } = useApi();
  const { data } = useQuery({
    queryKey: ['rehearsal', importId],
    queryFn: ({ signal }) => imports.progress({ importId }, { signal }),
    refetchInterval: POLL_MS,
    // The progress of an earlier rehearsal is not shown.
    gcTime: 0,
    retry: false,
  });
  const steps = data?.steps;
  return (
    <div className="flex flex-col gap-2 rounded-lg border px-3 py-2.5">
      <p className="flex items-center gap-2 text-ink-soft">
        <Spinner />
        {t('import.rehearsing')}
        <span className="ms-auto text-sm text-ink-faint tabular-nums">
          {steps ? t('import.stepsCovered', { ...steps }) : undefined}
        </span>
      </p>
      <ProgressBar
        label={t('import.rehearsing')}
        value={steps ? steps.covered / Math.max(1, steps.total) : 0}
      />
    </div>
  );
}
