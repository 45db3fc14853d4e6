/**
 * A dialog with fields: Enter and the primary button submit it; an error is shown below the fields. Escape asks before it discards
 * what was typed.
 */
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../button.tsx';
import { ErrorNote } from '../errors/error-note.tsx';
import { Form } from '../forms/field.tsx';
import type { Action } from '../use-action.ts';
import { AlertDialog } from './alert-dialog.tsx';
import { Dialog } from './dialog.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly submit: Action<[]>;
  readonly canSubmit?: boolean;
  /** Something was typed. */
  readonly isDirty?: boolean;
  /** Beside the primary button: where it acts, or another action. */
  readonly beside?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { title, submitLabel, submit, canSubmit = true, isDirty = false, beside, onClose, children } = props;
  const { t } = useTranslation();
  const id = useId();
  const [isAsking, setAsking] = useState(false);
  return (
    <Dialog
      title={title}
      onClose={() => (isDirty ? setAsking(true) : onClose())}
      footer={
        <>
          {beside === undefined ? undefined : (
            <div className="me-auto flex min-w-0 items-center">{beside}</div>
          )}
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button kind="primary" type="submit" form={id} disabled={!canSubmit} isBusy={submit.isBusy}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <Form id={id} className="flex flex-col gap-3.5 pt-1" onSubmit={() => canSubmit && submit.run()}>
        {children}
        <ErrorNote issue={submit.issue} />
      </Form>
      <AlertDialog
        isOpen={isAsking}
        title={t('form.discardTitle')}
        confirmLabel={t('form.discard')}
        onCancel={() => setAsking(false)}
        onConfirm={onClose}
      >
        {t('form.discardText')}
      </AlertDialog>
    </Dialog>
  );
}
