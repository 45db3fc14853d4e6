/** Exports a run as one file: with its package, encrypted, signed. */
import '../i18n/bundle-texts.ts';
import { useState } from 'react';
import { useApi, useApiQuery } from '../api/api-context.tsx';
import { saveResponse } from '../api/save-response.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Checkbox } from '../ui/forms/checkbox.tsx';
import { SelectField, TextField } from '../ui/forms/simple-fields.tsx';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';

interface ExportBundleDialogProps {
  readonly workId: string;
  readonly onClose: () => void;
}

export default function ExportBundleDialog({ workId, onClose }: ExportBundleDialogProps) {
  const { t } = useTranslation();
  const client = useApi();
  const { data } = useApiQuery(['bundle-keys'], ({ bundles }, call) => bundles.keys({}, call));
  const keys = data?.keys ?? [];
  const [isWhole, setWhole] = useState(true);
  const [isEncrypted, setEncrypted] = useState(false);
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [key, setKey] = useState('');
  const submit = useAction(async () => {
    const body = {
      withoutPackages: !isWhole,
      ...(isEncrypted ? { passphrase } : {}),
      ...(key === '' ? {} : { key }),
    };
    await saveResponse(await client.bundles.export({ workId, body }), `run-${workId}.crewrun`);
    useToasts.getState().show(t('bundles.export.done'));
    onClose();
  });
  const differs = isEncrypted && again !== '' && again !== passphrase;
  return (
    <FormDialog
      title={t('bundles.export.title')}
      submitLabel={t('bundles.export.submit')}
      submit={submit}
      canSubmit={!isEncrypted || (passphrase !== '' && passphrase === again)}
      isDirty={passphrase !== ''}
      onClose={onClose}
    >
      <p className="text-ink-soft">{t('bundles.export.text')}</p>
      <div>
        <Checkbox label={t('bundles.export.package')} isChecked={isWhole} onChange={setWhole} />
        {isWhole ? undefined : (
          <p className="ps-6 text-sm text-ink-faint">{t('bundles.export.packageOut')}</p>
        )}
      </div>
      <div>
        <Checkbox label={t('bundles.export.encrypt')} isChecked={isEncrypted} onChange={setEncrypted} />
        {isEncrypted ? undefined : (
          <p className="ps-6 text-sm text-ink-faint">{t('bundles.export.encryptHint')}</p>
        )}
      </div>
      {isEncrypted ? (
        <>
          <PassphraseField
            label={t('bundles.export.passphrase')}
            value={passphrase}
            onChange={setPassphrase}
          />
          <PassphraseField
            label={t('bundles.export.again')}
            value={again}
            issue={differs ? t('bundles.export.differ') : undefined}
            onChange={setAgain}
          />
        </>
      ) : undefined}
      <SelectField
        label={t('bundles.export.sign')}
        hint={data && keys.length === 0 ? t('bundles.export.noKey') : undefined}
        value={key}
        disabled={keys.length === 0}
        onChoose={setKey}
        options={[
          { value: '', label: t('bundles.export.unsigned') },
          ...keys.map(({ name, fingerprint }) => ({
            value: name,
            label: `${toShownLine(name)} · ${fingerprint}`,
          })),
        ]}
      />
    </FormDialog>
  );
}

interface PassphraseFieldProps {
  readonly label: string;
  readonly value: string;
  readonly issue?: string | undefined;
  readonly onChange: (value: string) => void;
}

export function PassphraseField({ label, value, issue, onChange }: PassphraseFieldProps) {
  return (
    <TextField
      label={label}
      issue={issue}
      type="password"
      autoComplete="off"
      value={value}
      onChange={onChange}
    />
  );
}
