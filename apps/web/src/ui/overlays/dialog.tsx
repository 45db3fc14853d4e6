/**
 * A modal dialog. Escape closes it; the focus returns to where it was. The page itself never scrolls, so there is no scroll lock
 * (and no injected style); the backdrop is our own.
 */
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { IconButton } from '../button.tsx';
import { classNames } from '../class-names.ts';

interface DialogProps {
  readonly isOpen?: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  /** Slides in from a side: used for panels in narrow windows. A panel has its own heading. */
  readonly sheet?: 'left' | 'right';
}

export function Dialog(props: DialogProps) {
  const { isOpen = true, onClose, title, description, children, footer, sheet } = props;
  const { t } = useTranslation();
  const returnFocus = useReturnFocus(isOpen);
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Backdrop />
        <Radix.Content
          onOpenAutoFocus={sheet === undefined ? focusMarked : undefined}
          onCloseAutoFocus={returnFocus}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          data-sheet={sheet}
          className={classNames(
            'fixed z-40 flex flex-col bg-raised text-ink shadow-dialog outline-none',
            sheet === undefined && CENTRED,
            sheet === 'left' && 'sheet-left inset-y-0 left-0 w-[min(22rem,88vw)]',
            sheet === 'right' && 'sheet-right inset-y-0 right-0 w-[min(26rem,94vw)]',
          )}
        >
          <header className={sheet === undefined ? HEAD : SHEET_HEAD}>
            {sheet === undefined ? (
              <div className="min-w-0 grow">
                <Radix.Title className="text-lg font-semibold wrap-anywhere">{title}</Radix.Title>
                {description === undefined ? undefined : (
                  <Radix.Description className="mt-0.5 text-ink-soft">{description}</Radix.Description>
                )}
              </div>
            ) : (
              <Radix.Title asChild>
                <span className="sr-only">{title}</span>
              </Radix.Title>
            )}
            <Radix.Close asChild>
              <IconButton label={t('action.close')} size="sm" hasTooltip={false}>
                <X />
              </IconButton>
            </Radix.Close>
          </header>
          <div
            data-body={sheet === undefined || undefined}
            className={classNames('min-h-0 grow overflow-auto', sheet === undefined && 'px-4 pb-4')}
          >
            {children}
          </div>
          {footer ? (
            <footer className="flex shrink-0 justify-end gap-2 border-t px-4 py-3">{footer}</footer>
          ) : undefined}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const HEAD = 'flex shrink-0 items-start gap-3 px-4 pt-3.5 pb-2';

/** Only the close button, in the line of the panel's own heading, which leaves room for it (`in-data-sheet`). */
const SHEET_HEAD = 'absolute end-1 top-0 z-10 flex h-10 items-center pointer-coarse:h-11';

/** Focuses the element with `data-autofocus`, else the first field, else the dialog: what is to be read comes before its buttons. */
function focusMarked(event: Event): void {
  const dialog = event.currentTarget as HTMLElement;
  const first =
    dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog.querySelector<HTMLElement>(FIELD);
  event.preventDefault();
  (first ?? dialog).focus();
}

const FIELD =
  '[data-body] :is(input:checked, input:not([type="radio"]), select, textarea):not(:disabled, [type="hidden"])';

export function Backdrop() {
  return <div aria-hidden="true" className="fade-in fixed inset-0 z-40 bg-scrim" />;
}

export const CENTRED =
  'pop-in top-1/2 left-1/2 max-h-[min(44rem,88vh)] w-[min(34rem,92vw)] -translate-x-1/2 -translate-y-1/2 rounded-xl';

/** Restores the focus after an overlay closes. Radix does this only for overlays that its own triggers opened. */
export function useReturnFocus(isOpen: boolean): (event: Event) => void {
  const before = useRef<Element | null>(null);
  const wasOpen = useRef(false);
  // During the first render the focus has not moved yet.
  if (isOpen && !wasOpen.current) before.current = document.activeElement;
  wasOpen.current = isOpen;
  return (event) => {
    event.preventDefault();
    if (before.current instanceof HTMLElement) before.current.focus();
  };
}
