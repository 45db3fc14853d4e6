/** Start options behind a fold that summarizes them: model, approvals and limits. */
import '../../i18n/settings-texts.ts';
import { SlidersHorizontal } from 'lucide-react';
import { useModels } from '../../api/queries.ts';
import { useStartDefaults } from '../../api/settings-queries.ts';
import { formatCost, formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { answeringModel } from '../../models/answering-model.ts';
import { Fold } from '../../ui/fold.tsx';
import { RadioGroup } from '../../ui/forms/checkbox.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { SelectField } from '../../ui/forms/simple-fields.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import type { Kind } from './start-options.ts';
import {
  findLimitIssues,
  goesWith,
  LIMITS,
  type Limit,
  type StartOptions,
  useApproval,
} from './start-options.ts';

interface OptionsProps {
  readonly options: StartOptions;
  readonly onChange: (options: StartOptions) => void;
}

interface OptionsFoldProps extends OptionsProps {
  readonly kind: Kind;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export const OPTIONS_ID = 'new-options';
const PRESETS = ['read-only', 'ask', 'declared', 'autopilot'] as const;

export function OptionsFold({ options, onChange, kind, isOpen, onToggle }: OptionsFoldProps) {
  const { t } = useTranslation();
  const { data: models } = useModels();
  const defaults = useStartDefaults();
  const { approval } = useApproval(options, kind);
  const usual = models && answeringModel(models).name;
  const modelName = (name: string): string =>
    name === 'rehearsal' ? t('model.rehearsal') : toShownLine(name);
  const model = usual === undefined ? undefined : modelName(options.model || usual);
  const others = [...(models?.models ?? []).map(({ name }) => name), 'rehearsal'];
  const folder = `${toShownLine(defaults?.artifactsDir ?? 'artifacts')}/`;
  return (
    <div id={OPTIONS_ID} tabIndex={-1} className="rounded-lg border bg-surface px-1.5 py-1">
      <Fold
        isOpen={isOpen}
        onToggle={onToggle}
        summary={
          <>
            <SlidersHorizontal className="size-3.5 shrink-0 text-ink-faint" />
            <span className="shrink-0 font-medium text-ink">{t('new.options')}</span>
            <span className="min-w-0 truncate text-ink-faint">
              {[model, approval && t(`new.approval.${approval}.name`)].filter(Boolean).join(' · ')}
            </span>
          </>
        }
      >
        {() => (
          <div className="flex flex-col gap-5 py-2 pe-3">
            {usual === undefined ? undefined : (
              <div className="max-w-80">
                <SelectField
                  label={t('model.title')}
                  value={options.model}
                  onChoose={(chosen) => onChange({ ...options, model: chosen })}
                  options={[
                    { value: '', label: modelName(usual) },
                    ...[...new Set(others)]
                      .filter((name) => name !== usual)
                      .map((name) => ({ value: name, label: modelName(name) })),
                  ]}
                />
              </div>
            )}
            <div className="flex flex-col gap-1.5">
              <p aria-hidden="true" className="text-sm font-medium">
                {t('new.approvalLabel')}
              </p>
              <RadioGroup
                label={t('new.approvalLabel')}
                value={approval}
                onChange={(value) =>
                  onChange({ ...options, approval: PRESETS.find((preset) => preset === value) })
                }
                options={PRESETS.map((preset) => ({
                  value: preset,
                  label: t(`new.approval.${preset}.name`),
                  ...(goesWith(preset, kind)
                    ? { hint: t(`new.approval.${preset}.text`, { folder }) }
                    : { hint: t('new.approval.read-only.notHere'), isDisabled: true }),
                }))}
              />
            </div>
            <LimitFields options={options} onChange={onChange} />
          </div>
        )}
      </Fold>
    </div>
  );
}

function LimitFields({ options, onChange }: OptionsProps) {
  const { t } = useTranslation();
  const defaults = useStartDefaults();
  const issues = findLimitIssues(options);
  const usual = (limit: Limit): string => {
    const value = defaults?.limits[limit];
    if (value === undefined) return t('settings.noLimit');
    return limit === 'maxCostUsd' ? formatCost(value) : formatNumber(value);
  };
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t('new.limits')}</legend>
      <p className="mt-0.5 mb-2.5 text-sm text-ink-faint">{t('new.limitsText')}</p>
      <div className="grid gap-3 sm:grid-cols-3">
        {LIMITS.map((limit) => (
          <Field
            key={limit}
            label={t(`new.limit.${limit}`)}
            issue={issues.includes(limit) ? t('new.limitFault') : undefined}
          >
            {(ids) => (
              <Input
                {...ids}
                inputMode="decimal"
                placeholder={usual(limit)}
                value={options.limits[limit]}
                onChange={({ target: { value } }) =>
                  onChange({ ...options, limits: { ...options.limits, [limit]: value } })
                }
              />
            )}
          </Field>
        ))}
      </div>
    </fieldset>
  );
}
