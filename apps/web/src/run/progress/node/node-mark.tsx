/** The status of a node as a named icon; never by colour alone. */
import { Ban, Circle, CircleCheck, CircleDot, CircleMinus } from 'lucide-react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { ProgressNode } from '../to-progress.ts';

export function NodeMark({ node: { progress, isRefused } }: { readonly node: ProgressNode }) {
  const { t } = useTranslation();
  if (isRefused && progress === 'ahead') {
    return <Ban aria-label={t('progress.refused')} className="size-4 shrink-0 text-warn" />;
  }
  switch (progress) {
    case 'done':
      return <CircleCheck aria-label={t('progress.done')} className="size-4 shrink-0 text-ok" />;
    case 'current':
      return <CircleDot aria-label={t('progress.current')} className="size-4 shrink-0 text-accent-text" />;
    case 'ahead':
      return <Circle aria-label={t('progress.ahead')} className="size-4 shrink-0 text-ink-faint" />;
    case 'notNeeded':
      return <CircleMinus aria-label={t('progress.notNeeded')} className="size-4 shrink-0 text-ink-faint" />;
  }
}
