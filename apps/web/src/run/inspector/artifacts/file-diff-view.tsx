/** Diff of a file, or the reason there is none. */
import { useMemo } from 'react';
import { type DiffOf, useFileDiff } from '../../../api/inspector-queries.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { DiffStat } from '../../../ui/code/diff-stat.tsx';
import { DiffView } from '../../../ui/code/diff-view.tsx';
import { parseDiff } from '../../../ui/code/parse-diff.ts';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';

export function FileDiffView({ of }: { readonly of: DiffOf }) {
  const { t } = useTranslation();
  const { data, error, isPending } = useFileDiff(of);
  const diff = useMemo(() => (data?.diff === undefined ? undefined : parseDiff(data.diff)), [data]);
  if (isPending) return <Skeleton className="h-16" />;
  if (error) return <ErrorNote issue={error} />;
  if (!diff)
    return <p className="text-sm text-ink-soft">{t(`inspector.files.noDiff.${data.reason ?? 'same'}`)}</p>;
  return (
    <div className="relative">
      <div className="absolute -top-6 right-0">
        <DiffStat diff={diff} />
      </div>
      <DiffView diff={diff} label={t('diff.label')} />
    </div>
  );
}
