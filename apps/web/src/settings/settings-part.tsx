/** A titled section of the settings; `FieldsSection` has settings that are rendered from their schema. */

import '../i18n/settings-texts.ts';
import { describeField, type FieldShape, fieldAt } from '@crewagent/protocol/describe-fields';
import { settingsSchema } from '@crewagent/protocol/settings';
import { joinSentences } from '@crewagent/protocol/texts/texts';
import { PAGE_APPROVAL } from '@crewagent/protocol/tools';
import type { TFunction } from 'i18next';
import { type ReactNode, useState } from 'react';
import { useSettings } from '../api/settings-queries.ts';
import { formatNumber } from '../i18n/format.ts';
import { fieldText, useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { type Choice, choicesOf, FieldControl, issueText } from '../ui/forms/field-control.tsx';
import { parseTyped, type Typed, toTyped, unitOf } from '../ui/forms/typed-values.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { type SectionName, settingsOf } from './setting-index.ts';
import { SettingRow, useSetting } from './setting-row.tsx';

interface SettingsPartProps {
  readonly section: SectionName;
  readonly aside?: ReactNode;
  readonly children?: ReactNode;
}

export function SettingsPart({ section, aside, children }: SettingsPartProps) {
  const { t } = useTranslation();
  return (
    <>
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3 border-b pb-4">
        <div className="min-w-60 grow basis-0">
          <h2 className="text-xl font-semibold">{t(`settings.names.${section}`)}</h2>
          <p className="mt-1 max-w-xl text-ink-faint">{t(`settings.texts.${section}`)}</p>
        </div>
        {aside}
      </header>
      {children}
    </>
  );
}

export function FieldsSection({ section, children }: SettingsPartProps) {
  return (
    <SettingsPart section={section}>
      <SettingsGate>
        {settingsOf(section).map((path) => (
          <SettingField key={path} path={path} />
        ))}
        {children}
      </SettingsGate>
    </SettingsPart>
  );
}

/** Placeholder of a section while the settings load, or if they cannot be read. */
export function SettingsGate({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const { data, error, refetch, isFetching } = useSettings();
  if (error) {
    return (
      <div className="mt-5">
        <ErrorNote
          issue={error}
          title={t('settings.unreadable')}
          advice={t('settings.unreadableAdvice')}
          actions={
            <Button isBusy={isFetching} onClick={() => void refetch()}>
              {t('action.refresh')}
            </Button>
          }
        />
      </div>
    );
  }
  if (!data) {
    return (
      <div className="mt-5 flex flex-col gap-4">
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
      </div>
    );
  }
  return (
    <>
      <p className="pt-3 text-sm text-ink-faint">{t('settings.originText')}</p>
      {children}
    </>
  );
}

const SETTINGS = describeField(settingsSchema);

/** A setting, rendered from its schema and its texts. Saved when it is chosen, or when the field is left; blank is the default. */
export function SettingField({ path }: { readonly path: string }) {
  const field = fieldAt(SETTINGS, path.split('.'));
  return field ? <KnownField path={path} field={field} /> : undefined;
}

function KnownField({ path, field }: { readonly path: string; readonly field: FieldShape }) {
  const { t } = useTranslation();
  const setting = useSetting(path);
  const [typed, setTyped] = useState<Typed>();
  const unit = unitOf(path);
  const { value = UNSET[path], usual = UNSET[path], isDecided } = setting;
  const isChosen = field.type === 'boolean' || field.type === 'choice';
  const stored = isChosen || isDecided ? toTyped(value, unit?.factor) : '';
  const parsed = parseTyped(field, typed ?? '', unit?.factor);
  const save = (): void => {
    if (typed === undefined || parsed.kind === 'wrong') return;
    setTyped(undefined);
    const next = parsed.kind === 'blank' ? null : parsed.value;
    if (toTyped(next, unit?.factor) !== stored) setting.change(next);
  };
  const choices = choicesOf(t, path, field);
  const unitName = unit && t(`form.units.${unit.name}`);
  const usualText = toUsualText(t, field, usual, { choices, factor: unit?.factor });
  const isWide = field.type === 'choice';
  return (
    <SettingRow
      setting={setting}
      label={fieldText(t, path, 'label') ?? path}
      hint={fieldText(t, path, 'hint')}
      layout={isWide ? 'below' : 'side'}
      issue={
        parsed.kind === 'wrong'
          ? joinSentences(issueText(t, path, field, 'wrong'), t('settings.unchanged'))
          : undefined
      }
      usual={unitName && typeof usual === 'number' ? `${usualText} ${unitName}` : usualText}
      onReset={() => setTyped(undefined)}
    >
      {(ids) => (
        <FieldControl
          {...{ field, ids, choices }}
          label={fieldText(t, path, 'label') ?? path}
          layout={isWide ? 'columns' : undefined}
          unit={unitName}
          typed={typed ?? stored}
          placeholder={usualText}
          className={field.type === 'text' ? 'font-mono' : undefined}
          isDisabled={isChosen && setting.isBusy}
          onChange={isChosen ? setting.change : setTyped}
          onDone={save}
        />
      )}
    </SettingRow>
  );
}

/** The default, as it is typed or chosen; undefined if there is none to name. */
function toUsualText(
  t: TFunction,
  { type }: FieldShape,
  usual: unknown,
  {
    choices,
    factor,
  }: { readonly choices: readonly Choice[] | undefined; readonly factor: number | undefined },
): string | undefined {
  if (type === 'boolean') return t(usual === true ? 'form.on' : 'form.off');
  if (type === 'choice') return choices?.find((choice) => choice.value === usual)?.label;
  if (type !== 'number') return typeof usual === 'string' ? usual : undefined;
  return typeof usual === 'number' ? formatNumber(Number(toTyped(usual, factor))) : t('settings.noLimit');
}

/** What applies if nothing is set, where that depends on where a Work is started. */
const UNSET: Readonly<Record<string, unknown>> = { 'tools.approval': PAGE_APPROVAL };
