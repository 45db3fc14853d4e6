/** A dialog with fields: Enter and the primary button submit it; an error is shown below the fields. */
import { type ReactNode, useId } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../button.tsx';
import { ErrorNote } from '../errors/error-note.tsx';
import { Form } from '../forms/field.tsx';
import type { Action } from '../use-action.ts';
import { Dialog } from './dialog.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly submit: Action<[]>;
  readonly canSubmit?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { title, submitLabel, submit, canSubmit = true, onClose, children } = props;
  const { t } = useTranslation();
  const id = useId();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
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
    </Dialog>
  );
}
