/** Offers a fork of a run at a moment of its log. The dialog is loaded when it is opened. */
import { GitFork } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useOffers } from '../../state/team-server.ts';
import { Button, IconButton } from '../../ui/button.tsx';

interface ForkButtonProps {
  /** The run whose log it is; undefined where none is open. */
  readonly workId: string | undefined;
  /** An event of the visit. */
  readonly seq: number | undefined;
  /** With its name beside the icon. */
  readonly isNamed?: boolean;
}

export function ForkButton({ workId, seq, isNamed = false }: ForkButtonProps) {
  const { t } = useTranslation();
  const isOffered = useOffers('works.fork');
  const [isOpen, setOpen] = useState(false);
  if (!isOffered || workId === undefined || seq === undefined) return undefined;
  const open = (): void => setOpen(true);
  return (
    <>
      {isNamed ? (
        <Button size="sm" icon={<GitFork className="size-3.5" />} onClick={open}>
          {t('works.forkHere')}
        </Button>
      ) : (
        <IconButton label={t('works.forkHere')} size="sm" onClick={open}>
          <GitFork />
        </IconButton>
      )}
      {isOpen ? (
        <Suspense>
          <ForkDialog workId={workId} seq={seq} onClose={() => setOpen(false)} />
        </Suspense>
      ) : undefined}
    </>
  );
}

const ForkDialog = lazy(() => import('./fork-dialog.tsx'));
