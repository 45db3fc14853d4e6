/** Marks a step or a result that is out of date; the list of reasons is in `stale-line.tsx`. */
import { useStale } from '../../api/inspector-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import '../../i18n/file-use-texts.ts';
import { Badge } from '../../ui/badge.tsx';

interface StaleBadgeProps {
  readonly workId: string;
  readonly mark: string;
  /** A node of the run, or a result by its full mount path. */
  readonly of: { readonly nodeId: string } | { readonly path: string };
}

export default function StaleBadge({ workId, mark, of }: StaleBadgeProps) {
  const { t } = useTranslation();
  const { data: steps = [] } = useStale(workId, mark);
  const isStale = steps.some(({ nodes, results }) =>
    'path' in of ? results.includes(of.path) : nodes[0] === of.nodeId,
  );
  return isStale ? <Badge tone="warn">{t('stale.badge')}</Badge> : undefined;
}
