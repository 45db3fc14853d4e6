/** All current shortcuts. */
import { useTranslation } from '../../i18n/use-translation.ts';
import { useAllCommands } from '../../palette/commands.ts';
import { Kbd } from '../../ui/kbd.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';

interface ShortcutsHelpProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function ShortcutsHelp({ isOpen, onClose }: ShortcutsHelpProps) {
  const { t } = useTranslation();
  const commands = useAllCommands().filter(({ shortcut }) => shortcut !== undefined);
  const typing = [
    { keys: 'Enter', text: t('shortcuts.send') },
    { keys: 'Shift+Enter', text: t('shortcuts.break') },
    { keys: '/', text: t('shortcuts.command') },
    { keys: '@', text: t('shortcuts.file') },
    { keys: 'Mod+Enter', text: t('shortcuts.allow') },
    { keys: 'Mod+Backspace', text: t('shortcuts.deny') },
    { keys: '↑+↓', text: t('shortcuts.list') },
  ];
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t('shortcuts.title')}>
      <dl className="flex flex-col">
        {[...commands.map(({ shortcut = '', title }) => ({ keys: shortcut, text: title })), ...typing].map(
          ({ keys, text }) => (
            <div key={keys} className="flex items-center justify-between gap-4 border-b py-2 last:border-0">
              <dt>{text}</dt>
              <dd>
                <Kbd keys={keys} />
              </dd>
            </div>
          ),
        )}
      </dl>
    </Dialog>
  );
}
