/** Registers the entries of a menu as commands, so that the palette finds them, too. */
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import type { MenuList } from '../ui/overlays/menu.tsx';
import { useCommands } from './commands.ts';

export function useMenuCommands(items: MenuList): void {
  const { t } = useTranslation();
  const entries = items.flatMap((item) => (!item || item === 'separator' || item.isDisabled ? [] : [item]));
  const latest = useRef(entries);
  useEffect(() => {
    latest.current = entries;
  });
  // The entries are made anew for every frame of a streaming reply; the commands are the same until a label changes.
  const key = JSON.stringify(entries.map(({ id, label }) => ({ id, label })));
  useCommands(
    useMemo(
      () =>
        (JSON.parse(key) as readonly { readonly id: string; readonly label: string }[]).map(
          ({ id, label }) => ({
            id: `menu.${id}`,
            title: label,
            group: t('palette.project'),
            run: () => latest.current.find((entry) => entry.id === id)?.onChoose(),
          }),
        ),
      [key, t],
    ),
  );
}
