/**
 * The button that allows, and beside it the menu of longer approvals. What was not all viewed is allowed by a button that says
 * so, which is never the primary one, has no key, and cannot be for longer.
 */
import { ChevronDown } from 'lucide-react';
import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Menu, type MenuItem } from '../../ui/overlays/menu.tsx';
import { ALLOW_KEYS, toAriaKeys } from './use-dock-keys.ts';

interface AllowButtonProps {
  readonly label: string;
  /** The same for what was not viewed. */
  readonly unseenLabel: string;
  /** With what was not viewed: its number of lines, or that it cannot be viewed in full. */
  readonly unseen: number;
  readonly isCut?: boolean;
  /** The most lines it had to name: it keeps the width. */
  readonly lines: number;
  readonly hasToBeViewed: boolean;
  readonly isBusy: boolean;
  readonly hasKey: boolean;
  readonly onAllow: () => void;
  readonly longer: readonly MenuItem[];
}

export function AllowButton(props: AllowButtonProps) {
  const {
    label,
    unseenLabel,
    unseen,
    isCut = false,
    lines,
    hasToBeViewed,
    isBusy,
    hasKey,
    onAllow,
    longer,
  } = props;
  const { t } = useTranslation();
  const hasMenu = longer.length > 0;
  const isViewed = unseen === 0;
  const toLabel = (count: number): string =>
    isCut
      ? t('approval.withoutAll', { label: unseenLabel })
      : t('approval.without', { label: unseenLabel, count, lines: formatNumber(count) });
  const kind = isViewed ? 'primary' : 'plain';
  return (
    <span className="inline-flex">
      <Button
        kind={kind}
        isBusy={isBusy}
        aria-keyshortcuts={hasKey ? toAriaKeys(ALLOW_KEYS) : undefined}
        onClick={onAllow}
        {...(hasMenu ? { className: 'rounded-e-none' } : {})}
      >
        <span className="grid justify-items-center *:[grid-area:1/1]">
          {hasToBeViewed ? (
            <span aria-hidden="true" className="invisible">
              {toLabel(lines)}
            </span>
          ) : undefined}
          <span className="inline-flex items-center gap-1.5 tabular-nums">
            {isViewed ? label : toLabel(unseen)}
            {hasKey ? <Kbd keys={ALLOW_KEYS} isOnButton /> : undefined}
          </span>
        </span>
      </Button>
      {hasMenu ? (
        <Menu
          label={t('approval.more')}
          trigger={
            <Button
              kind={kind}
              disabled={isBusy || !isViewed}
              aria-label={t('approval.more')}
              className="ms-px rounded-s-none px-1.5"
            >
              <ChevronDown className="size-4" />
            </Button>
          }
          items={longer}
        />
      ) : undefined}
    </span>
  );
}
