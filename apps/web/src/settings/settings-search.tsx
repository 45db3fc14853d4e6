/** Finds a setting in any section; choosing one opens its section and puts the keyboard into it. */
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { isComposing, SearchInput } from '../ui/forms/input.tsx';
import { useArrowKeys } from '../ui/rows.tsx';
import type { SectionName } from './sections.ts';
import { type FoundSetting, findSettings } from './setting-index.ts';

interface SettingsSearchProps {
  readonly sections: readonly SectionName[];
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function SettingsSearch({ sections, text, onText }: SettingsSearchProps) {
  const { t } = useTranslation();
  const { list, onKeyDown } = useArrowKeys<HTMLDivElement>();
  const found = findSettings(t, text, sections);
  const open = ({ section, label }: FoundSetting): void => {
    onText('');
    navigate({ name: 'settings', section });
    focusSetting(label);
  };
  const enterList = (): void => list.current?.querySelector<HTMLElement>('[data-list-item]')?.focus();
  return (
    <>
      <div className="-ms-2.5 mb-2 shrink-0">
        <SearchInput
          label={t('settings.search')}
          value={text}
          onChange={onText}
          onKeyDown={(event) => {
            if (isComposing(event)) return;
            if (event.key === 'Enter' && found[0]) open(found[0]);
            if (event.key === 'ArrowDown') enterList();
            if (event.key === 'Escape') onText('');
          }}
        />
      </div>
      <p role="status" className="-ms-2.5 px-2.5 text-ink-faint empty:hidden">
        {text.trim() !== '' && found.length === 0 ? t('settings.noneFound') : undefined}
      </p>
      {found.length === 0 ? undefined : (
        // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons in it
        <div ref={list} onKeyDown={onKeyDown} className="-ms-2.5">
          <ul aria-label={t('settings.found')} className="flex flex-col gap-0.5">
            {found.map((setting) => (
              <li key={`${setting.section} ${setting.label}`}>
                <button
                  type="button"
                  data-list-item
                  onClick={() => open(setting)}
                  className="w-full rounded-md px-2.5 py-1.5 text-start hover:bg-hover"
                >
                  {setting.label}
                  <span className="block text-xs text-ink-faint">
                    {t(`settings.names.${setting.section}`)}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** The settings may still be loading: their row is awaited for a while. */
function focusSetting(label: string): void {
  const until = performance.now() + 3_000;
  const look = (): void => {
    const row = [...document.querySelectorAll<HTMLElement>('[data-setting]')].find(
      ({ dataset }) => dataset.setting === label,
    );
    if (row) {
      row.scrollIntoView({ block: 'center' });
      row.querySelector<HTMLElement>('input:checked, input:not([type=radio]), textarea, button')?.focus();
    } else if (performance.now() < until) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
