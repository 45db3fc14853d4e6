/**
 * A row with one setting: label, control, and a button to restore the default. The source of a value is visible if the user set
 * it; that a value is the default is only announced to screen readers.
 */

import '../i18n/settings-texts.ts';
import { toChange, valueAt } from '@crewagent/protocol/describe-fields';
import { useQueryClient } from '@tanstack/react-query';
import { Check, Lock, RotateCcw } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { SETTINGS_KEYS, useSettings } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge } from '../ui/badge.tsx';
import { classNames } from '../ui/class-names.ts';
import { useErrorLine } from '../ui/errors/error-texts.ts';
import type { FieldIds } from '../ui/forms/field.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';

interface SettingRowProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Undefined for a setting without a default to restore. */
  readonly setting?: Setting | undefined;
  /** Why the typed value is invalid; nothing was changed. */
  readonly issue?: string | undefined;
  /** Where the control is: beside the label; in a line beside it, or below it, as a group with its own label. */
  readonly layout?: 'side' | 'line' | 'below' | undefined;
  /** The default as text, for the restore button. */
  readonly usual?: string | undefined;
  readonly onReset?: (() => void) | undefined;
  readonly children: (ids: FieldIds) => ReactNode;
}

export function SettingRow(props: SettingRowProps) {
  const { label, hint, setting, layout = 'side', children } = props;
  const { t } = useTranslation();
  const id = useId();
  const issue = useErrorLine(props.issue ?? setting?.issue);
  const [hintId, originId, issueId] = [
    hint && `${id}-hint`,
    setting && `${id}-origin`,
    issue && `${id}-issue`,
  ];
  const ids = {
    id,
    'aria-describedby': [hintId, originId, issueId].filter(Boolean).join(' ') || undefined,
    'aria-invalid': issue === undefined ? undefined : (true as const),
  };
  const Label = layout === 'side' ? 'label' : 'span';
  return (
    <div
      data-setting={label}
      className={classNames('scroll-mt-16 border-b py-3 last:border-b-0', LAYOUTS[layout])}
    >
      <div className={classNames('min-w-0', layout === 'line' && 'pt-1.5')}>
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Label {...(layout === 'side' ? { htmlFor: id } : { 'aria-hidden': true })} className="font-medium">
            {label}
          </Label>
          {setting ? (
            <span id={originId} className={setting.isDecided ? 'contents' : 'sr-only'}>
              {setting.isDecided ? (
                <Badge tone="accent">{t('settings.origin.settings')}</Badge>
              ) : (
                t('settings.origin.default')
              )}
            </span>
          ) : undefined}
        </p>
        {hint === undefined ? undefined : (
          <p id={hintId} className="mt-0.5 max-w-lg text-sm text-ink-faint">
            {hint}
          </p>
        )}
        {setting?.lock ? <Limited {...setting.lock} /> : undefined}
      </div>
      <div className={classNames('flex min-w-0 flex-col', layout === 'below' && 'mt-2')}>
        {children(ids)}
        {issue === undefined ? undefined : (
          <p id={issueId} role="alert" className="mt-1.5 text-sm text-bad wrap-anywhere">
            {issue}
          </p>
        )}
        {setting ? <Restore {...props} setting={setting} /> : undefined}
      </div>
    </div>
  );
}

/** A policy limits the setting: whatever is set here, more does not hold. */
function Limited({ rule, value }: { readonly rule: string; readonly value: string }) {
  const { t } = useTranslation();
  return (
    <p className="mt-1 flex max-w-lg items-start gap-1.5 text-sm text-ink-soft">
      <Lock className="mt-0.5 size-3.5 shrink-0" />
      {t('policy.limited', { value: toShownLine(value), rule })}
    </p>
  );
}

const LAYOUTS = {
  side: 'grid items-start gap-x-8 gap-y-2 sm:grid-cols-[minmax(0,1fr)_15rem]',
  line: 'grid items-start gap-x-8 gap-y-1 sm:grid-cols-[minmax(0,1fr)_auto]',
  below: '',
};

function Restore({ setting, label, usual, onReset }: SettingRowProps & { readonly setting: Setting }) {
  const { t } = useTranslation();
  const { isDecided, isSaved, isBusy, change } = setting;
  const back = usual === undefined ? t('settings.reset') : t('settings.resetTo', { value: usual });
  return (
    <div className="flex flex-wrap items-center gap-x-1.5 text-sm">
      {isDecided ? (
        <button
          type="button"
          disabled={isBusy}
          aria-label={`${back}: ${label}`}
          onClick={() => {
            onReset?.();
            change(null);
          }}
          className="-ms-1.5 mt-1 flex min-h-6.5 min-w-0 items-center gap-1 rounded-md px-1.5 text-start text-ink-soft hover:bg-hover hover:text-ink disabled:opacity-55"
        >
          <RotateCcw className="size-3 shrink-0" />
          <span className="min-w-0 wrap-anywhere">{back}</span>
        </button>
      ) : undefined}
      {/* Mounted while empty, because screen readers only announce changes of an existing live region. */}
      <span role="status" className="text-ok">
        {isSaved && !isBusy ? (
          <span className="mt-1 flex h-6.5 items-center gap-1">
            <Check className="size-3.5" />
            {t('settings.saved')}
          </span>
        ) : undefined}
      </span>
    </div>
  );
}

type Setting = ReturnType<typeof useSetting>;

/** One setting by its path (`tools.fs.enabled`): its value and source, a mutation, and the error. */
export function useSetting(path: string) {
  const client = useApi();
  const queries = useQueryClient();
  const { data } = useSettings();
  /** It was saved, without an error since. */
  const [isSaved, setSaved] = useState(false);
  /** Null restores the default. */
  const update = useAction(async (value: unknown) => {
    setSaved(false);
    const shown = await client.settings.update({ body: toChange(path.split('.'), value) });
    queries.setQueryData(SETTINGS_KEYS.settings, shown);
    setSaved(true);
    await queries.invalidateQueries({ queryKey: SETTINGS_KEYS.models });
  });
  const known = settingAt(data ?? { settings: {}, decided: {}, defaults: {} }, path);
  const lock = data?.policies?.flatMap(({ rules = [] }) => rules).find(({ setting }) => setting === path);
  return { ...known, lock, change: update.run, isBusy: update.isBusy, isSaved, issue: update.issue };
}

/** `isDecided`: it was set explicitly. */
export function settingAt(
  { settings, decided, defaults }: Readonly<Record<'settings' | 'decided' | 'defaults', object>>,
  path: string,
) {
  const names = path.split('.');
  return {
    value: valueAt(settings, names),
    usual: valueAt(defaults, names),
    isDecided: valueAt(decided, names) !== undefined,
  };
}
