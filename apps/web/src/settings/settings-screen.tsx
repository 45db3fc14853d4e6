/**
 * The settings: sections in a sidebar in wide windows, else chosen from a list. Without a server only the settings stored in this
 * browser are available.
 */
import { Bot, Cog, Database, Info, Palette, Plug, UserRound, Wrench } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { classNames } from '../ui/class-names.ts';
import { Select } from '../ui/forms/input.tsx';
import { useArrowKeys } from '../ui/rows.tsx';
import { useIsNarrow } from '../ui/use-media.ts';
import { AboutSection } from './about-section.tsx';
import { AppearanceSection } from './appearance-section.tsx';
import { DataSection } from './data-section.tsx';
import { InputsPart } from './inputs-part.tsx';
import { ModelSection } from './model-section.tsx';
import { SECTIONS, type SectionName, toSection } from './sections.ts';
import { ServersSection } from './servers/servers-section.tsx';
import { FieldsSection } from './settings-part.tsx';
import { SettingsSearch } from './settings-search.tsx';
import { ToolsSection } from './tools-section.tsx';

interface SettingsScreenProps {
  readonly section?: string | undefined;
  readonly hasServer?: boolean;
}

export default function SettingsScreen({ section, hasServer = true }: SettingsScreenProps) {
  const { t } = useTranslation();
  const isNarrow = useIsNarrow();
  const sections: readonly SectionName[] = hasServer ? SECTIONS : ['appearance'];
  const shown = toSection(section, sections);
  const [searched, setSearched] = useState('');
  const { list, onKeyDown } = useArrowKeys<HTMLUListElement>();
  const go = (name: string): void => navigate({ name: 'settings', section: name });
  return (
    <div className="h-full min-h-0 overflow-auto [scrollbar-gutter:stable] bg-surface">
      {isNarrow ? (
        <div className="sticky top-0 z-10 flex items-center gap-4 border-b bg-canvas px-4 py-3">
          <h1 className="shrink-0 text-lg font-semibold">{t('rail.settings')}</h1>
          <Select
            aria-label={t('settings.sections')}
            value={shown}
            onChoose={go}
            options={sections.map((name) => ({ value: name, label: t(`settings.names.${name}`) }))}
          />
        </div>
      ) : undefined}
      <div className="page-column flex gap-10">
        {isNarrow ? undefined : (
          <nav
            aria-label={t('settings.sections')}
            className="sticky top-10 flex max-h-[calc(100vh-5rem)] w-48 shrink-0 flex-col gap-0.5 self-start overflow-y-auto ps-2.5"
          >
            <h1 className="pb-3 text-xl font-semibold tracking-tight">{t('rail.settings')}</h1>
            <SettingsSearch sections={sections} text={searched} onText={setSearched} />
            {searched.trim() === '' ? (
              <ul ref={list} onKeyDown={onKeyDown} className="flex flex-col gap-0.5">
                {sections.map((name) => (
                  <li key={name} className="flex">
                    <button
                      type="button"
                      data-list-item
                      aria-current={name === shown ? 'page' : undefined}
                      onClick={() => go(name)}
                      className={classNames(
                        '-ms-2.5 flex h-8 grow items-center gap-2.5 rounded-md px-2.5 text-start [&_svg]:size-4',
                        name === shown
                          ? 'bg-pressed font-medium text-ink'
                          : 'text-ink-soft hover:bg-hover hover:text-ink',
                      )}
                    >
                      {PAGES[name].icon}
                      {t(`settings.names.${name}`)}
                    </button>
                  </li>
                ))}
              </ul>
            ) : undefined}
          </nav>
        )}
        <div key={shown} className="min-w-0 max-w-3xl grow">
          {PAGES[shown].content}
        </div>
      </div>
    </div>
  );
}

const PAGES: Readonly<Record<SectionName, { readonly icon: ReactNode; readonly content: ReactNode }>> = {
  model: { icon: <Bot aria-hidden="true" />, content: <ModelSection /> },
  tools: { icon: <Wrench aria-hidden="true" />, content: <ToolsSection /> },
  servers: { icon: <Plug aria-hidden="true" />, content: <ServersSection /> },
  engine: { icon: <Cog aria-hidden="true" />, content: <FieldsSection section="engine" /> },
  person: {
    icon: <UserRound aria-hidden="true" />,
    content: (
      <FieldsSection section="person">
        <InputsPart />
      </FieldsSection>
    ),
  },
  appearance: { icon: <Palette aria-hidden="true" />, content: <AppearanceSection /> },
  data: { icon: <Database aria-hidden="true" />, content: <DataSection /> },
  about: { icon: <Info aria-hidden="true" />, content: <AboutSection /> },
};
