/** Scrolls a list back to its end, which it then follows. Shown above the list while it is scrolled elsewhere. */
import { ArrowDown } from 'lucide-react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';

export function ToEndButton({ onClick }: { readonly onClick: () => void }) {
  const { t } = useTranslation();
  return (
    <Button
      size="sm"
      icon={<ArrowDown className="size-3.5" />}
      onClick={onClick}
      className="pop-in absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full bg-raised shadow-raised"
    >
      {t('timeline.toEnd')}
    </Button>
  );
}
