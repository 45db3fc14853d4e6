/** What a project demands: another person for approvals, and workers with certain labels. */
import { useState } from 'react';
import { useChange } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Checkbox } from '../ui/forms/checkbox.tsx';
import { Field, Form } from '../ui/forms/field.tsx';
import { Input } from '../ui/forms/input.tsx';
import { TEAM_KEYS, team, useTeamQuery } from './team-client.ts';

export function ProjectPolicy({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const key = TEAM_KEYS.policy(projectId);
  const { data, error } = useTeamQuery(key, () => team.members.policy({ projectId }));
  const [typed, setTyped] = useState<string>();
  const change = useChange(key, async (body: { needsSecondPerson?: boolean; labels?: string[] }) => {
    await team.members.setPolicy({ projectId, body });
    if (body.labels) setTyped(undefined);
  });
  if (!data) return <ErrorNote issue={error} />;
  const shown = typed ?? data.labels.join(', ');
  const labels = shown.split(/[\s,，、]+/).filter(Boolean);
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      <Checkbox
        label={t('team.policy.secondPerson')}
        isChecked={data.needsSecondPerson}
        onChange={(needsSecondPerson) => change.run({ needsSecondPerson })}
      />
      <Form onSubmit={() => change.run({ labels })}>
        <Field label={t('team.policy.labels')} hint={t('team.policy.labelsHint')}>
          {(ids) => (
            <div className="flex gap-2">
              <Input
                {...ids}
                value={shown}
                spellCheck={false}
                onChange={(event) => setTyped(event.target.value)}
              />
              <Button type="submit" isBusy={change.isBusy} disabled={labels.join() === data.labels.join()}>
                {t('action.save')}
              </Button>
            </div>
          )}
        </Field>
      </Form>
      <ErrorNote issue={change.issue} />
    </div>
  );
}
