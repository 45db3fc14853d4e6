/** Where the run of a file goes on and with which model, what that would touch, and doing it. */
import '../i18n/bundle-texts.ts';
import type { BundlePlan, ShownBundle } from '@crewagent/protocol/api/bundles';
import { useQueryClient } from '@tanstack/react-query';
import { FolderOpen } from 'lucide-react';
import { useState } from 'react';
import { LIVE, useApi, useApiQuery } from '../api/api-context.tsx';
import { KEYS, useModels, useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { useOpenedBundle } from '../navigation/opened-bundle.ts';
import { isOtherSigner } from '../packages/package-signer.tsx';
import { LazyFolderDialog } from '../projects/relink-dialog.tsx';
import { useOpenProject } from '../projects/use-project-actions.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Checkbox } from '../ui/forms/checkbox.tsx';
import { Field } from '../ui/forms/field.tsx';
import { Select } from '../ui/forms/input.tsx';
import { SelectField } from '../ui/forms/simple-fields.tsx';
import { Note } from '../ui/note.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';
import { Part, PathList, toModelName } from './shown-bundle.tsx';

interface ContinueBundleProps {
  readonly bundleId: string;
  readonly shown: ShownBundle;
}

/** What the person has to accept before it goes on. */
const NOTHING = { keepFiles: false, acceptsSigner: false, acceptsUnproved: false };

export function ContinueBundle({ bundleId, shown }: ContinueBundleProps) {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const { data: projects = [] } = useProjects();
  const [chosen, setChosen] = useState<string>();
  const [model, setModel] = useState('');
  const [accepted, setAccepted] = useState(NOTHING);
  const projectId = chosen ?? projects.find(({ exists }) => exists)?.projectId;
  const body = { projectId: projectId ?? '', ...(model === '' ? {} : { model }) };
  const { data: plan, error } = useApiQuery(
    ['bundle-plan', bundleId, projectId, model],
    ({ bundles }, call) => bundles.plan({ bundleId, body }, call),
    { ...LIVE, gcTime: 0, enabled: projectId !== undefined },
  );
  const going = useAction(async () => {
    const { workId } = await client.bundles.adopt({ bundleId, body: { ...body, ...accepted } });
    const { work, view } = await client.works.show({ workId });
    if (shown.work.isRun && work.phase !== 'Completed' && !view.pending)
      await client.works.resume({ workId, body: {} });
    await queries.invalidateQueries({ queryKey: KEYS.packages });
    useToasts.getState().show(t('bundles.continued'));
    useOpenedBundle.setState({ file: undefined, staged: undefined });
    openInFront({ name: 'work', projectId: work.projectId, workId });
  });
  const needs = {
    keepFiles: (plan?.conflicts.length ?? 0) > 0,
    acceptsSigner: [shown.signer, ...shown.packages.map(({ signer }) => signer)].some(isOtherSigner),
    acceptsUnproved: shown.requests.unproved.length > 0,
  };
  const isReady = (['keepFiles', 'acceptsSigner', 'acceptsUnproved'] as const).every(
    (name) => !needs[name] || accepted[name],
  );
  const acceptance = (name: keyof typeof NOTHING, label: string) =>
    needs[name] ? (
      <Checkbox
        label={label}
        isChecked={accepted[name]}
        onChange={(isChecked) => setAccepted({ ...accepted, [name]: isChecked })}
      />
    ) : undefined;
  return (
    <Part title={t('bundles.continuing')}>
      <div className="flex flex-col gap-4">
        <Destination {...{ projectId, model }} onProject={setChosen} onModel={setModel} />
        <div aria-live="polite" className="flex flex-col gap-2">
          <h3 className="font-medium">{t('bundles.touches')}</h3>
          {plan ? <Plan plan={plan} /> : undefined}
          {!plan && !error && projectId !== undefined ? <Skeleton className="h-16" /> : undefined}
          <ErrorNote issue={error} />
        </div>
        {plan && plan.refusal === undefined && Object.values(needs).some(Boolean) ? (
          <div className="flex flex-col gap-1.5">
            {acceptance('keepFiles', t('bundles.plan.keepFiles'))}
            {acceptance('acceptsSigner', t('bundles.acceptSigner'))}
            {acceptance('acceptsUnproved', t('bundles.acceptUnproved'))}
          </div>
        ) : undefined}
        <ErrorNote issue={going.issue} />
        <Button
          kind="primary"
          className="self-start"
          disabled={!plan || plan.refusal !== undefined || !isReady}
          isBusy={going.isBusy}
          onClick={() => going.run()}
        >
          {t('bundles.continue')}
        </Button>
      </div>
    </Part>
  );
}

interface DestinationProps {
  readonly projectId: string | undefined;
  /** Empty: the model of the run. */
  readonly model: string;
  readonly onProject: (projectId: string) => void;
  readonly onModel: (model: string) => void;
}

/** The folder in which it goes on, a known or another one, and its model. */
function Destination({ projectId, model, onProject, onModel }: DestinationProps) {
  const { t } = useTranslation();
  const { data: projects = [] } = useProjects();
  const { data: known } = useModels();
  const [isChoosing, setChoosing] = useState(false);
  const usable = projects.filter(({ exists }) => exists);
  const open = useOpenProject();
  const folder = useAction(async (path: string, isNew?: boolean) => {
    onProject(await open(path, isNew));
    setChoosing(false);
  });
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t('bundles.folder')}>
          {(ids) => (
            <div className="flex gap-2">
              {usable.length > 0 ? (
                <Select
                  {...ids}
                  value={projectId ?? ''}
                  onChoose={onProject}
                  options={usable.map((project) => ({
                    value: project.projectId,
                    label: `${toShownLine(project.name)} (${toShownLine(project.path)})`,
                  }))}
                />
              ) : undefined}
              <Button icon={<FolderOpen className="size-4" />} onClick={() => setChoosing(true)}>
                {t(usable.length > 0 ? 'bundles.otherFolder' : 'bundles.chooseFolder')}
              </Button>
            </div>
          )}
        </Field>
        <SelectField
          label={t('bundles.model')}
          value={model}
          onChoose={onModel}
          options={[
            { value: '', label: t('bundles.ownModel') },
            ...(known?.models ?? []).map(({ name }) => ({ value: name, label: toShownLine(name) })),
            { value: 'rehearsal', label: t('status.rehearsal') },
          ]}
        />
      </div>
      {isChoosing ? (
        <LazyFolderDialog
          purpose="open"
          onClose={() => {
            folder.forget();
            setChoosing(false);
          }}
          onChoose={folder}
        />
      ) : undefined}
    </>
  );
}

function Plan({ plan }: { readonly plan: BundlePlan }) {
  const { t } = useTranslation();
  const { model, approval, approvalsEnded, artifactsDir, refusal } = plan;
  if (refusal !== undefined)
    return (
      <Note level="warning" title={t('bundles.plan.cannot')}>
        <span lang="en">{toShownLine(refusal)}</span>
      </Note>
    );
  const lists = (['created', 'overwritten', 'removed', 'conflicts'] as const).filter(
    (kind) => plan[kind].length > 0,
  );
  const to = toModelName(model.to, t);
  return (
    <div className="flex flex-col gap-2 text-ink-soft wrap-anywhere">
      {lists.length === 0 ? <p>{t('bundles.plan.nothing')}</p> : undefined}
      {lists.map((kind) => (
        <div key={kind}>
          <h4 className={`text-sm font-medium ${kind === 'created' ? 'text-ink-faint' : 'text-warn'}`}>
            {t(`bundles.plan.${kind}`)}
          </h4>
          <PathList paths={plan[kind].map((path) => ({ path }))} />
        </div>
      ))}
      <p>
        {model.from === model.to
          ? t('bundles.plan.model', { model: to })
          : t('bundles.plan.otherModel', { model: to, from: toModelName(model.from, t) })}
        {model.hasKey ? '' : ` ${t('bundles.plan.noKey')}`}
      </p>
      <p>
        {t('bundles.plan.preset', { preset: t(`new.approval.${approval.to}.name`) })}{' '}
        {t('bundles.plan.free', { folder: toShownLine(artifactsDir) })}
      </p>
      {approvalsEnded > 0 ? <p>{t('bundles.plan.grants', { count: approvalsEnded })}</p> : undefined}
    </div>
  );
}
