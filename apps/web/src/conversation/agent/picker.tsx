/** A quiet button with the current choice that opens a menu of alternatives. */
import { Check, ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import { Menu, type MenuList, type MenuOpening } from '../../ui/overlays/menu.tsx';

interface PickerButtonProps extends Pick<ButtonProps, 'ref'> {
  /** Accessible name: what is chosen here. */
  readonly label: string;
  readonly icon: ReactNode;
  readonly chosen: string;
  readonly isBusy?: boolean;
}

interface PickerProps extends PickerButtonProps {
  readonly items: MenuList;
  readonly opening?: MenuOpening;
}

export function Picker({ items, opening, ...button }: PickerProps) {
  return (
    <Menu
      label={button.label}
      align="start"
      items={items}
      opening={opening}
      trigger={<PickerButton {...button} />}
    />
  );
}

/** The trigger alone; what opens it adds attributes. */
export function PickerButton({ label, icon, chosen, isBusy = false, ...attributes }: PickerButtonProps) {
  return (
    <Button
      {...attributes}
      kind="quiet"
      size="sm"
      isBusy={isBusy}
      icon={icon}
      aria-label={`${label}: ${chosen}`}
      className="max-w-44 min-w-0 shrink! text-ink-faint! max-sm:gap-1 max-sm:px-1.5"
    >
      <span className="min-w-0 truncate">{chosen}</span>
      <ChevronDown aria-hidden="true" className="size-3 shrink-0 max-sm:hidden" />
    </Button>
  );
}

/** Marks the chosen item of a menu; in the others it is an empty place of the same width. */
export function ChoiceMark({ isChosen }: { readonly isChosen: boolean }) {
  const { t } = useTranslation();
  return isChosen ? <Check aria-label={t('composer.isChosen')} /> : <span className="size-4 shrink-0" />;
}
