/** The default model, whether it works, and setting one up from a preset. Without any, the rehearsal is used. */
import '../i18n/settings-texts.ts';
import type { ShownModel as KnownModel } from '@crewagent/protocol/api/settings';
import type { Provider } from '@crewagent/protocol/model';
import { Bot } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useModels } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { type AnsweringModel, answeringModel, hasOwnDefault, isSetUp } from '../models/answering-model.ts';
import { type FoundModel, FoundServers } from '../models/found-servers.tsx';
import { MODEL_PRESETS } from '../models/model-presets.ts';
import { TrialReport } from '../models/trial-report.tsx';
import { useMakeDefault, useModelTest } from '../models/use-save-model.ts';
import { navigate } from '../navigation/router.ts';
import { useFailedModels } from '../state/failed-models.ts';
import { useOffers, useTeamServer } from '../state/team-server.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Select } from '../ui/forms/input.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';
import { Card } from './card.tsx';

interface Setup {
  readonly provider: Provider;
  readonly found?: FoundModel;
}

/** Shows nothing below the model before it is loaded: buttons would move while they are pressed. */
export function ModelCard() {
  const { t } = useTranslation();
  const { data, error } = useModels();
  /** What is set up: a provider, or a server that was found. */
  const [setup, setSetup] = useState<Setup>();
  const [showsBuiltin, setShowsBuiltin] = useState(false);
  useFocusOnClose(setup && openerOf(setup));
  const tester = useModelTest();
  const makeDefault = useMakeDefault();
  const choose = useAction(makeDefault);
  const model = data ? answeringModel(data) : undefined;
  const failed = useFailedModels(({ names }) => names);
  const { trial } = tester;
  const canConnect = useTeamServer(({ me }) => !me || me.person.isAdmin);
  const [findsServers, hasBuiltin] = [useOffers('models.findLocalModels'), useOffers('models.showBuiltin')];
  return (
    <Card
      icon={<Bot />}
      title={t('model.title')}
      text={t('model.text')}
      isReady={data !== undefined && isSetUp(data, failed)}
    >
      <ErrorNote issue={error ?? choose.issue} />
      {model && data ? (
        <ShownModel model={model} models={data.models} onChoose={(name) => choose.run(name)} />
      ) : error ? undefined : (
        <Skeleton className="h-40" />
      )}
      {canConnect && model && model.kind !== 'rehearsal' && !setup ? (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" isBusy={trial?.isBusy === true} onClick={() => void tester.run(model.name)}>
            {t('action.test')}
          </Button>
          <Button size="sm" kind="quiet" onClick={() => navigate({ name: 'settings', section: 'model' })}>
            {t('model.manage')}
          </Button>
        </div>
      ) : undefined}
      {setup ? undefined : (
        <TrialReport
          tester={tester}
          leadsOn
          onEdit={() => navigate({ name: 'settings', section: 'model' })}
        />
      )}
      {showsBuiltin ? (
        <Suspense fallback={<Skeleton className="h-40" />}>
          <div className="border-t pt-4">
            <BuiltinModels takesFocus />
          </div>
        </Suspense>
      ) : undefined}
      {canConnect && !setup && (model ?? error) ? (
        <fieldset className="min-w-0">
          <legend className="mb-1.5 text-sm text-ink-faint">
            {t(model === undefined || model.kind === 'rehearsal' ? 'model.connect' : 'model.connectAnother')}
          </legend>
          <FoundServers
            isWanted={findsServers && model?.kind === 'rehearsal'}
            toId={(found) => openerOf({ provider: found.provider, found })}
            onChoose={(found) => setSetup({ provider: found.provider, found })}
          />
          {hasBuiltin && model?.kind === 'rehearsal' && !showsBuiltin ? (
            <Button className="mb-2 w-full" onClick={() => setShowsBuiltin(true)}>
              {t('builtin.offer')}
            </Button>
          ) : undefined}
          <div className="grid grid-cols-2 gap-2">
            {MODEL_PRESETS.map(({ provider, brand }) => (
              <Button key={provider} id={openerOf({ provider })} onClick={() => setSetup({ provider })}>
                {brand ?? t('modelForm.custom')}
              </Button>
            ))}
          </div>
        </fieldset>
      ) : undefined}
      {setup ? (
        <Suspense fallback={<Skeleton className="h-40" />}>
          <ModelSetup
            {...setup}
            key={openerOf(setup)}
            hasDefault={hasOwnDefault(data)}
            tester={tester}
            onClose={() => {
              tester.stop();
              setSetup(undefined);
            }}
          />
        </Suspense>
      ) : undefined}
    </Card>
  );
}

/** After the form is closed, what opened it has the focus again, unless something took it meanwhile. */
function useFocusOnClose(openerId: string | undefined): void {
  const opened = useRef(openerId);
  useEffect(() => {
    const closed = opened.current;
    opened.current = openerId;
    if (openerId !== undefined || closed === undefined) return;
    if (document.activeElement === document.body) document.getElementById(closed)?.focus();
  }, [openerId]);
}

/** Id of the button that opens the form: of a provider, or of a model that was found. */
function openerOf({ provider, found }: Setup): string {
  return `connect-${found ? `${found.baseUrl}-${found.model}` : provider}`;
}

const BuiltinModels = lazy(() => import('../models/builtin-models.tsx'));

const ModelSetup = lazy(async () => ({ default: (await import('./model-setup.tsx')).ModelSetup }));

interface ShownModelProps {
  readonly model: AnsweringModel;
  readonly models: readonly KnownModel[];
  readonly onChoose: (name: string) => void;
}

/** The default model, why it is the default, and choosing another. */
function ShownModel({ model, models, onChoose }: ShownModelProps) {
  const { t } = useTranslation();
  const isRehearsal = model.kind === 'rehearsal';
  const settings = models.find(({ name }) => name === model.name)?.settings;
  const canChoose = model.kind !== 'environment' && models.length > (isRehearsal ? 0 : 1);
  return (
    <div className="flex flex-col gap-2 rounded-lg bg-sunken p-3">
      {canChoose ? (
        <Select
          aria-label={t('model.choose')}
          value={model.name}
          onChoose={onChoose}
          options={[...models.map(({ name }) => name), 'rehearsal'].map((name) => ({
            value: name,
            label: name === 'rehearsal' ? t('composer.rehearsal') : toShownLine(name),
          }))}
        />
      ) : (
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium wrap-anywhere">
            {isRehearsal ? t('composer.rehearsal') : toShownLine(model.name)}
          </span>
          {isRehearsal ? <Badge tone="ok">{t('model.noKey')}</Badge> : undefined}
        </p>
      )}
      <p className="text-sm text-ink-soft wrap-anywhere">
        {settings && settings.model !== model.name ? `${toShownLine(settings.model)} · ` : ''}
        {t(`model.because.${isRehearsal && models.length > 0 ? 'rehearsalChosen' : model.kind}`)}
      </p>
    </div>
  );
}
