/**
 * Asks for confirmation before an action that cannot be undone. Cancel has the focus, and Escape cancels.
 */
import { AlertDialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Backdrop, CENTRED } from './dialog.tsx';
import { useReturnFocus } from './use-return-focus.ts';

interface AlertDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly children: ReactNode;
  readonly cancelLabel: string;
  readonly confirmLabel: string;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}

export function AlertDialog(props: AlertDialogProps) {
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
              <Button>{props.cancelLabel}</Button>
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
