/** Models, which of them is the default, and whether they work. */
import '../i18n/settings-texts.ts';
import type { ShownModel } from '@crewagent/protocol/api/settings';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useModels } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { answeringModel } from '../models/answering-model.ts';
import BuiltinModels from '../models/builtin-models.tsx';
import { ModelConduct } from '../models/model-conduct.tsx';
import { ModelDialog } from '../models/model-dialog.tsx';
import { ModelRow, RehearsalRow } from '../models/model-row.tsx';
import { TrialReport } from '../models/trial-report.tsx';
import { useModelTest } from '../models/use-save-model.ts';
import { navigate, useRoute } from '../navigation/router.ts';
import { useIsAdmin, useOffers } from '../state/team-server.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Note } from '../ui/note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { SettingsPart } from './settings-part.tsx';

export function ModelSection() {
  const { t } = useTranslation();
  const { data, error } = useModels();
  const hasBuiltin = useOffers('models.showBuiltin');
  const isAdmin = useIsAdmin();
  const route = useRoute();
  const isNew = route.name === 'settings' && route.isNew === true;
  const [edited, setEdited] = useState<ShownModel | 'new' | undefined>(isNew ? 'new' : undefined);
  const [startsAtKey, setStartsAtKey] = useState(false);
  const tester = useModelTest();
  const answering = data ? answeringModel(data) : undefined;
  const close = (): void => {
    setEdited(undefined);
    if (isNew) navigate({ name: 'settings', section: 'model' });
  };
  return (
    <SettingsPart
      section="model"
      aside={
        isAdmin ? (
          <Button kind="primary" icon={<Plus className="size-4" />} onClick={() => setEdited('new')}>
            {t('models.add')}
          </Button>
        ) : undefined
      }
    >
      <div className="mt-5 flex flex-col gap-3">
        <ErrorNote issue={error} />
        {data?.environment.model ? (
          <Note level="info" title={t('models.environment', { name: toShownLine(data.environment.model) })}>
            {t('models.environmentText')}
          </Note>
        ) : undefined}
        {data === undefined && !error ? <Skeleton className="h-28" /> : undefined}
        {data && answering ? (
          <ul aria-label={t('models.list')} className="flex flex-col gap-3">
            {data.models.map((model) => (
              <ModelRow
                key={model.name}
                model={model}
                isAnswering={answering.kind === 'settings' && answering.name === model.name}
                tester={tester}
                onEdit={(atKey) => {
                  setStartsAtKey(atKey);
                  setEdited(model);
                }}
              />
            ))}
            <RehearsalRow
              isAnswering={answering.kind === 'rehearsal'}
              isForced={Boolean(data.environment.model)}
              isChosen={data.defaultModel === 'rehearsal'}
            />
          </ul>
        ) : undefined}
        {tester.trial && tester.trial.name === undefined ? <TrialReport tester={tester} /> : undefined}
        {hasBuiltin ? (
          <div className="mt-4 border-t pt-5">
            <BuiltinModels />
          </div>
        ) : undefined}
        {isAdmin ? (
          <div className="mt-4 border-t pt-5" data-setting={t('conduct.title')}>
            <ModelConduct />
          </div>
        ) : undefined}
      </div>
      {edited === undefined ? undefined : (
        <ModelDialog
          model={edited === 'new' ? undefined : edited}
          tester={tester}
          startsAtKey={edited !== 'new' && startsAtKey}
          onClose={close}
        />
      )}
    </SettingsPart>
  );
}
