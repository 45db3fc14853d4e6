/** Says that a newer version of a run's package is installed, and leads to what it would change. */
import type { Story } from '@crewagent/protocol/story/story';
import { CircleArrowUp } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useUpgrade } from '../../api/inspector-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useIsReadOnly } from '../past.ts';

export function UpgradeLine({ view }: { readonly view: Readonly<Story> }) {
  const { t } = useTranslation();
  const isReadOnly = useIsReadOnly();
  const [isOpen, setOpen] = useState(false);
  // A called run is bound to the version of the one that called it.
  const canMove = !isReadOnly && view.workflow !== undefined && !view.caller && MOVABLE.has(view.phase);
  const { data: plan } = useUpgrade(
    canMove ? view.runId : undefined,
    `${view.package?.hash} ${view.lastSeq}`,
  );
  if (!canMove || !plan) return undefined;
  const versions = { from: toShownLine(plan.from), version: toShownLine(plan.to.version) };
  return (
    <div className="flex shrink-0 items-center gap-2.5 border-t bg-surface px-3 py-2 text-sm">
      <CircleArrowUp aria-hidden="true" className="size-4 shrink-0 text-accent-text" />
      <span className="min-w-0 grow text-ink-soft wrap-anywhere">{t('upgrade.available', versions)}</span>
      <Button size="sm" onClick={() => setOpen(true)}>
        {t('upgrade.look')}
      </Button>
      {isOpen ? (
        <Suspense>
          <UpgradeDialog view={view} plan={plan} onClose={() => setOpen(false)} />
        </Suspense>
      ) : undefined}
    </div>
  );
}

const MOVABLE: ReadonlySet<Story['phase']> = new Set(['WaitingUser', 'Failed']);

const UpgradeDialog = lazy(() => import('./upgrade-dialog.tsx'));
