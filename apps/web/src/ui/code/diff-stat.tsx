/** Numbers of added and removed lines; renders nothing if they are unknown. */

import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { Diff } from './parse-diff.ts';

export function DiffStat({ diff: { isPartial, ...lines } }: { readonly diff: Diff }) {
  return isPartial ? undefined : <LineStat {...lines} />;
}

export function LineStat({ added, removed }: Pick<Diff, 'added' | 'removed'>) {
  const { t } = useTranslation();
  return (
    <span className="shrink-0 font-mono text-xs tabular-nums">
      <span className="sr-only">{`${t('diff.added', { count: added })}, ${t('diff.removed', { count: removed })}`}</span>
      <span aria-hidden="true">
        <span className="text-ok">+{formatNumber(added)}</span>{' '}
        {removed > 0 ? <span className="text-bad">−{formatNumber(removed)}</span> : undefined}
      </span>
    </span>
  );
}
