/** A small button for an action that cannot be undone: it asks for confirmation first. */
import { type ReactNode, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../button.tsx';
import { AlertDialog } from './alert-dialog.tsx';

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

export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, name, title, isBusy = false, isDisabled = false, onConfirm, children } = props;
  const { t } = useTranslation();
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
        cancelLabel={t('action.cancel')}
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
