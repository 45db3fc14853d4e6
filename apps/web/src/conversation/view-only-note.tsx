/** In place of what somebody with the role View cannot do, and why. */
import { useTranslation } from '../i18n/use-translation.ts';

export function ViewOnlyNote() {
  const { t } = useTranslation();
  return (
    <p role="note" className="rounded-xl border border-dashed border-line-strong px-3.5 py-3 text-ink-faint">
      {t('composer.viewOnly')}
    </p>
  );
}
