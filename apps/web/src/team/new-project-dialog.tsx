/** A new project of the team: empty, with the files of a folder or a zip, or from a git repository. */
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { KEYS } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { SelectField, TextField } from '../ui/forms/simple-fields.tsx';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { useAction } from '../ui/use-action.ts';
import { team } from './team-client.ts';
import { UploadField } from './upload-field.tsx';

export function NewProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<'upload' | 'git'>('upload');
  const [url, setUrl] = useState('');
  const [branch, setBranch] = useState('');
  const [zip, setZip] = useState<File>();
  /** A failed upload leaves the project; the next attempt goes on with it. */
  const created = useRef<string>(undefined);
  const submit = useAction(async () => {
    const more = branch.trim() === '' ? {} : { branch: branch.trim() };
    const source = kind === 'git' ? { kind, url: url.trim(), ...more } : { kind };
    const body = { name: name.trim(), source };
    created.current ??= (await team.teamProjects.create({ body })).projectId;
    const projectId = created.current;
    if (kind === 'upload' && zip) await team.teamProjects.uploadArchive({ projectId, body: zip });
    await queries.invalidateQueries({ queryKey: KEYS.projects });
    useToasts.getState().show(t('team.projects.uploaded'));
    onClose();
    navigate({ name: 'project', projectId });
  });
  const choose = (next: File): void => {
    setZip(next);
    if (name === '') setName(next.name.replace(/\.zip$/i, ''));
  };
  return (
    <FormDialog
      title={t('team.projects.createTitle')}
      submitLabel={t('team.projects.go')}
      submit={submit}
      canSubmit={name.trim() !== '' && (kind === 'upload' || url.trim() !== '')}
      isDirty={name !== '' || zip !== undefined || url !== ''}
      onClose={onClose}
    >
      <TextField label={t('team.name')} value={name} maxLength={200} data-autofocus onChange={setName} />
      <SelectField
        label={t('team.projects.source')}
        value={kind}
        onChoose={(next) => setKind(next === 'git' ? 'git' : 'upload')}
        options={(['upload', 'git'] as const).map((value) => ({
          value,
          label: t(`team.projects.${value}`),
        }))}
      />
      {kind === 'upload' ? (
        <UploadField zip={zip} hint={t('team.projects.optional')} onChoose={choose} />
      ) : (
        <>
          <TextField
            label={t('team.projects.url')}
            hint={t('team.projects.urlHint')}
            value={url}
            spellCheck={false}
            onChange={setUrl}
          />
          <TextField
            label={t('team.projects.branch')}
            value={branch}
            spellCheck={false}
            onChange={setBranch}
          />
        </>
      )}
    </FormDialog>
  );
}
