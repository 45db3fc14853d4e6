/**
 * The settings: sections in a sidebar in wide windows, else chosen from a list. Without a server only the settings stored in this
 * browser are available.
 */
import '../i18n/settings-texts.ts';
import {
  Bot,
  Cog,
  Coins,
  Database,
  Info,
  Lock,
  Palette,
  Plug,
  UserRound,
  Webhook,
  Wrench,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useSettings } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { classNames } from '../ui/class-names.ts';
import { isComposing, SearchInput, Select } from '../ui/forms/input.tsx';
import { useArrowKeys } from '../ui/rows.tsx';
import { useIsNarrow } from '../ui/use-media.ts';
import { AboutSection } from './about-section.tsx';
import { AppearanceSection } from './appearance-section.tsx';
import { CostsSection } from './costs-section.tsx';
import { DataSection } from './data-section.tsx';
import { HooksSection } from './hooks/hooks-section.tsx';
import { InputsPart } from './inputs-part.tsx';
import { ModelSection } from './model-section.tsx';
import { useOfferedSections } from './offered-sections.ts';
import { PolicySection } from './policy-section.tsx';
import { ServersSection } from './servers/servers-section.tsx';
import { type FoundSetting, findSettings, type SectionName, toSection } from './setting-index.ts';
import { FieldsSection, SettingsPart } from './settings-part.tsx';
import { ToolsSection } from './tools-section.tsx';

interface SettingsScreenProps {
  readonly section?: string | undefined;
  readonly hasServer?: boolean;
}

export default function SettingsScreen({ section, hasServer = true }: SettingsScreenProps) {
  return hasServer ? <AllSections section={section} /> : <Sections section={section} sections={OWN} />;
}

/** Settings of the browser, which need no server. */
const OWN: readonly SectionName[] = ['appearance'];

function AllSections({ section }: Pick<SettingsScreenProps, 'section'>) {
  const hasPolicy = (useSettings().data?.policies ?? []).length > 0;
  const sections = useOfferedSections().filter((name) => name !== 'policy' || hasPolicy);
  return <Sections {...{ section, sections }} />;
}

interface SectionsProps extends Pick<SettingsScreenProps, 'section'> {
  readonly sections: readonly SectionName[];
}

function Sections({ section, sections }: SectionsProps) {
  const { t } = useTranslation();
  const isNarrow = useIsNarrow();
  const shown = toSection(section, sections);
  const [searched, setSearched] = useState('');
  const { list, onKeyDown } = useArrowKeys<HTMLUListElement>();
  const go = (name: string): void => navigate({ name: 'settings', section: name });
  return (
    <div className="h-full min-h-0 overflow-auto [scrollbar-gutter:stable] bg-canvas">
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
            className="sticky top-10 flex max-h-[calc(100vh-5rem)] w-48 shrink-0 flex-col gap-0.5 self-start overflow-y-auto"
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
                        'flex h-8 grow items-center gap-2.5 rounded-md px-2.5 text-start [&_svg]:size-4',
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
        <div key={shown} className="min-w-0 grow">
          {PAGES[shown].content}
        </div>
      </div>
    </div>
  );
}

const PAGES: Readonly<Record<SectionName, { readonly icon: ReactNode; readonly content: ReactNode }>> = {
  model: { icon: <Bot />, content: <ModelSection /> },
  costs: { icon: <Coins />, content: <CostsSection /> },
  tools: { icon: <Wrench />, content: <ToolsSection /> },
  servers: { icon: <Plug />, content: <ServersSection /> },
  hooks: {
    icon: <Webhook />,
    content: (
      <SettingsPart section="hooks">
        <HooksSection />
      </SettingsPart>
    ),
  },
  engine: { icon: <Cog />, content: <FieldsSection section="engine" /> },
  person: {
    icon: <UserRound />,
    content: (
      <FieldsSection section="person">
        <InputsPart />
      </FieldsSection>
    ),
  },
  appearance: { icon: <Palette />, content: <AppearanceSection /> },
  policy: { icon: <Lock />, content: <PolicySection /> },
  data: { icon: <Database />, content: <DataSection /> },
  about: { icon: <Info />, content: <AboutSection /> },
};

interface SettingsSearchProps {
  readonly sections: readonly SectionName[];
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Finds a setting in any section; choosing one opens its section and puts the keyboard into it. */
function SettingsSearch({ sections, text, onText }: SettingsSearchProps) {
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
      <div className="mb-2 shrink-0">
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
      <p role="status" className="px-2.5 text-ink-faint empty:hidden">
        {text.trim() !== '' && found.length === 0 ? t('settings.noneFound') : undefined}
      </p>
      {found.length === 0 ? undefined : (
        // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons in it
        <div ref={list} onKeyDown={onKeyDown}>
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
