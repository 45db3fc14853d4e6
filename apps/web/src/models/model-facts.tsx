/** Properties of a model in the list, and overrides of the environment. */
import type { ModelOverride, ShownModel } from '@crewagent/protocol/api/settings';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge } from '../ui/badge.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { presetOf } from './model-presets.ts';
import { toShownKeyName } from './shown-key-name.ts';

export function ModelFacts({ model: { settings, keys, overrides } }: { readonly model: ShownModel }) {
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
