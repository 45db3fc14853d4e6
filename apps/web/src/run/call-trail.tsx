/** The nodes that lead to a sub-workflow, as a breadcrumb. */
import { ChevronRight } from 'lucide-react';
import { Fragment } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/sanitize-text.ts';

export interface TrailStep {
  readonly id: string;
  readonly title: string;
}

interface CallTrailProps {
  readonly steps: readonly TrailStep[];
  /** Makes each node but the last a link to its run. */
  readonly onChoose?: ((id: string) => void) | undefined;
}

export function CallTrail({ steps, onChoose }: CallTrailProps) {
  const { t } = useTranslation();
  if (steps.length === 0) return undefined;
  return (
    <nav aria-label={t('call.trail')}>
      <ol className="flex flex-wrap items-center gap-x-1 text-xs text-ink-faint">
        {steps.map(({ id, title }, index) => (
          <Fragment key={id}>
            {index > 0 ? <ChevronRight className="size-3 shrink-0" /> : undefined}
            <li className="min-w-0 truncate">
              {onChoose && index < steps.length - 1 ? (
                <button
                  type="button"
                  className="truncate rounded-sm underline-offset-2 hover:text-ink hover:underline"
                  onClick={() => onChoose(id)}
                >
                  {toShownLine(title)}
                </button>
              ) : (
                toShownLine(title)
              )}
            </li>
          </Fragment>
        ))}
      </ol>
    </nav>
  );
}
