/** Asks for confirmation before an action that cannot be undone. Cancel has the focus, and Escape cancels. */
import { AlertDialog as Radix } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../button.tsx';
import { Backdrop, CENTRED, useReturnFocus } from './dialog.tsx';

interface AlertDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly children: ReactNode;
  readonly confirmLabel: string;
  /** Default: Cancel. */
  readonly cancelLabel?: string;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}

export function AlertDialog(props: AlertDialogProps) {
  const { t } = useTranslation();
  const returnFocus = useReturnFocus(props.isOpen);
  return (
    <Radix.Root open={props.isOpen} onOpenChange={(open) => !open && props.onCancel()}>
      <Radix.Portal>
        <Backdrop />
        <Radix.Content
          aria-modal="true"
          onCloseAutoFocus={returnFocus}
          className={`fixed z-50 bg-raised p-5 text-ink shadow-dialog outline-none ${CENTRED}`}
        >
          <Radix.Title className="text-lg font-semibold wrap-anywhere">{props.title}</Radix.Title>
          <Radix.Description asChild>
            <div className="mt-1.5 text-ink-soft wrap-anywhere">{props.children}</div>
          </Radix.Description>
          <div className="mt-5 flex justify-end gap-2">
            <Radix.Cancel asChild>
              <Button>{props.cancelLabel ?? t('action.cancel')}</Button>
            </Radix.Cancel>
            <Button kind="danger" onClick={props.onConfirm}>
              {props.confirmLabel}
            </Button>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface ConfirmButtonProps {
  readonly label: string;
  /** For screen readers, where several buttons have the same label. */
  readonly name?: string;
  readonly title: string;
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly onConfirm: () => void;
  /** What is lost. */
  readonly children: ReactNode;
}

/** A small button for an action that cannot be undone: it asks for confirmation first. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, name, title, isBusy = false, isDisabled = false, onConfirm, children } = props;
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button
        size="sm"
        isBusy={isBusy}
        disabled={isDisabled}
        aria-label={name}
        onClick={() => setAsking(true)}
      >
        {label}
      </Button>
      <AlertDialog
        isOpen={isAsking}
        title={title}
        confirmLabel={label}
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          onConfirm();
        }}
      >
        {children}
      </AlertDialog>
    </>
  );
}
