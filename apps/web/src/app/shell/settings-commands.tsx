/** Commands that are available everywhere: the sections of the settings, theme, language, another folder. Loaded with the first palette. */
import '../../i18n/settings-texts.ts';
import { LANGUAGES, type Language } from '@crewagent/protocol/languages';
import { useMemo } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { navigate } from '../../navigation/router.ts';
import { useCommands } from '../../palette/commands.ts';
import { useOfferedSections } from '../../settings/offered-sections.ts';
import { wordsOf } from '../../settings/setting-index.ts';
import { LANGUAGE_NAMES, THEMES, useAppearance } from '../../state/appearance.ts';
import { useOffers } from '../../state/team-server.ts';
import { useWantedFolder } from '../../state/wanted-folder.ts';

export default function SettingsCommands() {
  const { t } = useTranslation();
  const sections = useOfferedSections();
  const [hasFolders, opensFiles] = [useOffers('projects.open'), useOffers('bundles.upload')];
  const commands = useMemo(
    () => [
      hasFolders && {
        id: 'folder.open',
        title: t('folders.titles.open'),
        group: t('palette.go'),
        run: () => {
          useWantedFolder.setState({ isWanted: true });
          navigate({ name: 'start' });
        },
      },
      opensFiles && {
        id: 'bundle.open',
        title: t('rail.open'),
        group: t('palette.go'),
        synonyms: '.crewrun',
        run: () => navigate({ name: 'open' }),
      },
      ...sections.map((section) => ({
        id: `go.settings.${section}`,
        title: `${t('rail.settings')}: ${t(`settings.names.${section}`)}`,
        group: t('rail.settings'),
        synonyms: wordsOf(t, section),
        run: () => navigate({ name: 'settings', section }),
      })),
      ...THEMES.map((theme) => ({
        id: `theme.${theme}`,
        title: `${t('fields.appearance.theme.label')}: ${t(`fields.appearance.theme.options.${theme}.label`)}`,
        group: t('rail.settings'),
        synonyms: t('fields.appearance.theme.words'),
        run: () => useAppearance.setState({ theme }),
      })),
      ...LANGUAGES.map((language) => ({
        id: `language.${language}`,
        title: `${t('fields.appearance.language.label')}: ${LANGUAGE_NAMES[language]}`,
        group: t('rail.settings'),
        synonyms: ENGLISH_NAMES[language],
        run: () => useAppearance.setState({ language }),
      })),
    ],
    [t, sections, hasFolders, opensFiles],
  );
  useCommands(commands);
  return undefined;
}

/** Found by those who cannot read the language that is shown. */
const ENGLISH_NAMES: Readonly<Record<Language, string>> = { en: 'English', 'zh-CN': 'Chinese' };
