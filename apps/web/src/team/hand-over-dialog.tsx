/** Hands a run or a conversation over to a colleague. */
import '../i18n/team-texts.ts';
import { includesRole } from '@crewagent/protocol/roles';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { useTeamServer } from '../state/team-server.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { SelectField } from '../ui/forms/simple-fields.tsx';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { TEAM_KEYS, team, useTeamQuery } from './team-client.ts';

interface HandOverDialogProps {
  readonly projectId: string;
  readonly workId: string;
  readonly onClose: () => void;
}

export default function HandOverDialog({ projectId, workId, onClose }: HandOverDialogProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const me = useTeamServer((state) => state.me);
  const { data, error } = useTeamQuery(TEAM_KEYS.members(projectId), () => team.members.list({ projectId }));
  const people = data?.members.filter(
    ({ role, personId }) => includesRole(role, 'run') && personId !== me?.person.personId,
  );
  const [chosen, setChosen] = useState('');
  const receiver = people?.find(({ personId }) => personId === chosen);
  const submit = useAction(async () => {
    if (!receiver) return;
    await team.inbox.handOver({ workId, body: { personId: receiver.personId } });
    await queries.invalidateQueries({ queryKey: TEAM_KEYS.all });
    useToasts.getState().show(t('team.handOver.done', { name: toShownLine(receiver.name) }));
    onClose();
  });
  return (
    <FormDialog
      title={t('team.handOver.title')}
      submitLabel={t('team.handOver.submit')}
      submit={submit}
      canSubmit={receiver !== undefined}
      isDirty={false}
      onClose={onClose}
    >
      <ErrorNote issue={error} />
      {people?.length === 0 ? <p className="text-ink-faint">{t('team.handOver.nobody')}</p> : undefined}
      {people && people.length > 0 ? (
        <SelectField
          label={t('team.handOver.to')}
          hint={t('team.handOver.hint')}
          value={chosen}
          data-autofocus
          onChoose={setChosen}
          options={[
            { value: '', label: t('team.handOver.choose') },
            ...people.map(({ personId, name }) => ({ value: personId, label: toShownLine(name) })),
          ]}
        />
      ) : undefined}
    </FormDialog>
  );
}
