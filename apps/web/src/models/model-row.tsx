/** A model in the list, with its actions. */
import '../i18n/settings-texts.ts';
import type { ModelOverride, ShownModel } from '@crewagent/protocol/api/settings';
import { useQueryClient } from '@tanstack/react-query';
import { KeyRound, PencilLine, Star, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { forgetModels } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useIsAdmin } from '../state/team-server.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { AlertDialog } from '../ui/overlays/alert-dialog.tsx';
import { MoreMenu, menuItem } from '../ui/overlays/menu.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { toShownKeyName } from './model-form.ts';
import { presetOf } from './model-presets.ts';
import { TrialReport } from './trial-report.tsx';
import { type ModelTester, useMakeDefault } from './use-save-model.ts';

const CARD = 'flex flex-col gap-3 rounded-lg border bg-surface p-3.5';

interface ModelRowProps {
  readonly model: ShownModel;
  readonly isAnswering: boolean;
  readonly tester: ModelTester;
  readonly onEdit: (startsAtKey: boolean) => void;
}

export function ModelRow({ model, isAnswering, tester, onEdit }: ModelRowProps) {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const makeDefault = useMakeDefault();
  const isAdmin = useIsAdmin();
  const [asks, setAsks] = useState<'remove' | 'forgetKey'>();
  const { name, hasKey, isDefault } = model;
  const choose = useAction(() => makeDefault(name));
  const act = useAction(async (what: 'remove' | 'forgetKey') => {
    setAsks(undefined);
    if (what === 'remove')
      await (model.settings.provider === 'builtin'
        ? client.models.removeBuiltin({ name })
        : client.models.remove({ name }));
    else await client.models.removeKey({ name });
    await forgetModels(queries);
  });
  const isTried = tester.trial?.name === name;
  const forgetsKey = asks === 'forgetKey';
  return (
    <li className={CARD} aria-label={name}>
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-40 grow basis-0">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium wrap-anywhere">{toShownLine(name)}</span>
            {isDefault ? <Badge tone="accent">{t('models.default')}</Badge> : undefined}
            {hasKey ? <Badge>{t('models.hasKey')}</Badge> : undefined}
            {isDefault && !isAnswering ? <Badge tone="warn">{t('models.overridden')}</Badge> : undefined}
          </p>
          <ModelFacts model={model} />
        </div>
        {isAdmin ? (
          <Button
            size="sm"
            isBusy={isTried && tester.trial?.isBusy === true}
            onClick={() => void tester.run(name)}
          >
            {t('action.test')}
          </Button>
        ) : undefined}
        <MoreMenu
          label={t('projects.actions', { name })}
          size="sm"
          items={
            isAdmin
              ? [
                  menuItem('edit', PencilLine, t('action.edit'), () => onEdit(false)),
                  !isDefault && menuItem('default', Star, t('models.makeDefault'), () => choose.run()),
                  hasKey &&
                    menuItem('forgetKey', KeyRound, t('models.forgetKey'), () => setAsks('forgetKey')),
                  'separator',
                  menuItem('remove', Trash2, t('action.remove'), () => setAsks('remove'), { isDanger: true }),
                ]
              : []
          }
        />
      </div>
      <ErrorNote issue={choose.issue ?? act.issue} />
      {isTried ? <TrialReport tester={tester} leadsOn onEdit={onEdit} /> : undefined}
      <AlertDialog
        isOpen={asks !== undefined}
        title={t(forgetsKey ? 'models.forgetKeyTitle' : 'models.removeTitle', { name })}
        confirmLabel={t(forgetsKey ? 'models.forgetKey' : 'action.remove')}
        onCancel={() => setAsks(undefined)}
        onConfirm={() => asks && act.run(asks)}
      >
        {t(forgetsKey ? 'models.forgetKeyText' : 'models.removeText')}
      </AlertDialog>
    </li>
  );
}

interface RehearsalRowProps {
  readonly isAnswering: boolean;
  /** Set by the environment. */
  readonly isForced: boolean;
  /** Chosen explicitly, not only the fallback. */
  readonly isChosen: boolean;
}

/** Always present; cannot be removed. */
export function RehearsalRow({ isAnswering, isForced, isChosen }: RehearsalRowProps) {
  const { t } = useTranslation();
  const makeDefault = useMakeDefault();
  const isAdmin = useIsAdmin();
  const choose = useAction(() => makeDefault('rehearsal'));
  return (
    <li className={CARD}>
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-40 grow basis-0">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium">{t('composer.rehearsal')}</span>
            {isAnswering ? (
              <Badge tone={isForced ? 'warn' : 'accent'}>
                {t(isForced ? 'models.fromEnvironment' : 'models.default')}
              </Badge>
            ) : undefined}
            <Badge>{t('models.builtIn')}</Badge>
          </p>
          <p className="mt-0.5 text-sm text-ink-faint">{t('models.rehearsalText')}</p>
        </div>
        {isAnswering || isChosen || !isAdmin ? undefined : (
          <Button size="sm" isBusy={choose.isBusy} onClick={() => choose.run()}>
            {t('models.makeDefault')}
          </Button>
        )}
      </div>
      <ErrorNote issue={choose.issue} />
    </li>
  );
}

/** Properties of a model in the list, and overrides of the environment. */
function ModelFacts({ model: { settings, keys, overrides } }: { readonly model: ShownModel }) {
  const { t } = useTranslation();
  const { provider, model, baseUrl, apiKeyEnv } = settings;
  const parts: readonly string[] = [
    presetOf(provider).brand ?? t('modelForm.custom'),
    toShownLine(model),
    ...(baseUrl === undefined ? [] : [toShownLine(baseUrl)]),
    ...(keys === undefined ? [] : [t('models.usedKey', { name: toShownKeyName(keys.used, t) })]),
    ...(apiKeyEnv === undefined ? [] : [t('models.keyFrom', { name: toShownLine(apiKeyEnv) })]),
  ];
  return (
    <>
      <p className="mt-0.5 text-sm text-ink-faint wrap-anywhere">{parts.join(' · ')}</p>
      {overrides.length === 0 ? undefined : <Overrides overrides={overrides} />}
    </>
  );
}

/** Fields that the environment overrides, with their variables. */
function Overrides({ overrides }: { readonly overrides: readonly ModelOverride[] }) {
  const { t } = useTranslation();
  return (
    <ul aria-label={t('models.fromEnvironment')} className="mt-1.5 flex flex-col gap-1 text-sm text-ink-soft">
      {overrides.map(({ field, variable, value = '' }) => (
        <li key={field} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <Badge tone="warn">{t('models.fromEnvironment')}</Badge>
          <span className="min-w-0 wrap-anywhere">
            {t(`models.overrides.${field}`, { variable, value: toShownLine(value) })}
          </span>
        </li>
      ))}
    </ul>
  );
}
