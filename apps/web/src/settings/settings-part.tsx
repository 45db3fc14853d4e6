/** A titled section of the settings; `FieldsSection` has settings that are rendered from their schema. */
import type { ReactNode } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import type { SectionName } from './sections.ts';
import { SettingField } from './setting-field.tsx';
import { settingsOf } from './setting-index.ts';
import { SettingsGate } from './settings-gate.tsx';

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
