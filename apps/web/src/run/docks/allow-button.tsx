/** The button that allows, and beside it the menu of longer approvals. */
import { ChevronDown } from 'lucide-react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button, type ButtonKind } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Menu, type MenuItem } from '../../ui/overlays/menu.tsx';
import { ALLOW_KEYS, toAriaKeys } from './use-dock-keys.ts';

interface AllowButtonProps {
  readonly label: string;
  readonly kind: ButtonKind;
  readonly isBusy: boolean;
  readonly hasKey: boolean;
  readonly onAllow: () => void;
  readonly longer: readonly MenuItem[];
}

export function AllowButton({ label, kind, isBusy, hasKey, onAllow, longer }: AllowButtonProps) {
  const { t } = useTranslation();
  const hasMenu = longer.length > 0;
  return (
    <span className="inline-flex">
      <Button
        kind={kind}
        isBusy={isBusy}
        aria-keyshortcuts={hasKey ? toAriaKeys(ALLOW_KEYS) : undefined}
        onClick={onAllow}
        {...(hasMenu ? { className: 'rounded-e-none' } : {})}
      >
        {label}
        {hasKey ? <Kbd keys={ALLOW_KEYS} isOnButton /> : undefined}
      </Button>
      {hasMenu ? (
        <Menu
          label={t('approval.more')}
          trigger={
            <Button
              kind={kind}
              disabled={isBusy}
              aria-label={t('approval.more')}
              className="ms-px rounded-s-none px-1.5"
            >
              <ChevronDown aria-hidden="true" className="size-4" />
            </Button>
          }
          items={longer}
        />
      ) : undefined}
    </span>
  );
}
