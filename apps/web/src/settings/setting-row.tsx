/** A setting in its row: what it is, its control, where its value comes from, and the way back to the default. */
import { Check, RotateCcw } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge } from '../ui/badge.tsx';
import { classNames } from '../ui/class-names.ts';
import type { FieldIds } from '../ui/field.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import type { Setting } from './use-setting.ts';

/** What every kind of setting is told. */
export interface SettingProps {
  /** Such as `tools.fs.enabled`. */
  readonly path: string;
  readonly label: string;
  readonly hint?: string;
}

interface SettingRowProps {
  readonly setting: Setting;
  readonly label: string;
  readonly hint?: string;
  /** What is wrong with what is typed; nothing was changed by it. */
  readonly fault?: string | undefined;
  /** The control is a group that names itself, and takes the width. */
  readonly isWide?: boolean;
  /** The default in words, for the way back. */
  readonly usual?: string | undefined;
  readonly onReset?: (() => void) | undefined;
  readonly children: (ids: FieldIds) => ReactNode;
}

export function SettingRow(props: SettingRowProps) {
  const { setting, label, hint, isWide = false, usual, onReset, children } = props;
  const id = useId();
  const fault = props.fault ?? setting.fault;
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const faultId = fault === undefined ? undefined : `${id}-fault`;
  const ids = {
    id,
    'aria-describedby': [hintId, faultId].filter(Boolean).join(' ') || undefined,
    'aria-invalid': fault === undefined ? undefined : (true as const),
  };
  return (
    <div className={classNames('border-b py-4 last:border-b-0', !isWide && ROW)}>
      <div className="min-w-0">
        {isWide ? (
          <p aria-hidden="true" className="font-medium">
            {label}
          </p>
        ) : (
          <label htmlFor={id} className="font-medium">
            {label}
          </label>
        )}
        {hint === undefined ? undefined : (
          <p id={hintId} className="mt-0.5 max-w-lg text-sm text-ink-faint">
            {hint}
          </p>
        )}
      </div>
      <div className={classNames('flex min-w-0 flex-col gap-1.5', isWide && 'mt-2')}>
        {children(ids)}
        {fault === undefined ? undefined : (
          <p id={faultId} role="alert" className="text-sm text-bad wrap-anywhere">
            {toShownLine(fault)}
          </p>
        )}
        <Origin setting={setting} label={label} usual={usual} onReset={onReset} />
      </div>
    </div>
  );
}

const ROW = 'grid gap-x-8 gap-y-2.5 sm:grid-cols-[minmax(0,1fr)_15rem]';

type OriginProps = Pick<SettingRowProps, 'setting' | 'label' | 'usual' | 'onReset'>;

function Origin({ setting, label, usual, onReset }: OriginProps) {
  const { t } = useTranslation();
  const { isDecided, isSaved, isBusy, change } = setting;
  const back = usual === undefined ? t('settings.reset') : t('settings.resetTo', { value: usual });
  return (
    <div className="flex min-h-6.5 flex-wrap items-center gap-1.5 text-sm text-ink-faint">
      {isDecided ? (
        <Badge tone="accent">{t('settings.origin.settings')}</Badge>
      ) : (
        <span>{t('settings.origin.default')}</span>
      )}
      {isDecided ? (
        <button
          type="button"
          disabled={isBusy}
          aria-label={`${back}: ${label}`}
          onClick={() => {
            onReset?.();
            change(null);
          }}
          className="flex h-6.5 items-center gap-1 rounded-md px-1.5 text-ink-soft hover:bg-hover hover:text-ink disabled:opacity-55"
        >
          <RotateCcw aria-hidden="true" className="size-3" />
          {back}
        </button>
      ) : undefined}
      <span role="status" className="flex items-center gap-1 text-ok">
        {isSaved && !isBusy ? (
          <>
            <Check aria-hidden="true" className="size-3.5" />
            {t('settings.saved')}
          </>
        ) : undefined}
      </span>
    </div>
  );
}
