/** Commands that open the sections of the settings, available everywhere. */
import { useMemo } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { useCommands } from '../palette/commands.ts';
import { SECTIONS } from '../settings/sections.ts';

export function SettingsCommands() {
  const { t } = useTranslation();
  const commands = useMemo(
    () =>
      SECTIONS.map((section) => ({
        id: `go.settings.${section}`,
        title: `${t('rail.settings')}: ${t(`settings.names.${section}`)}`,
        group: t('rail.settings'),
        run: () => navigate({ name: 'settings', section }),
      })),
    [t],
  );
  useCommands(commands);
  return undefined;
}
