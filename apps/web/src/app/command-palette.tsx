/** Everything one can do, found by typing. */
import { Command as Cmdk } from 'cmdk';
import { Dialog as Radix } from 'radix-ui';
import { useTranslation } from 'react-i18next';
import { Backdrop } from '../ui/dialog.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import { Kbd } from '../ui/kbd.tsx';
import { useReturnFocus } from '../ui/use-return-focus.ts';
import { type Command, useAllCommands } from './commands.ts';

interface CommandPaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CommandPalette({ isOpen, onClose }: CommandPaletteProps) {
  const { t } = useTranslation();
  const commands = useAllCommands();
  const returnFocus = useReturnFocus(isOpen);
  const groups = [...new Set(commands.map(({ group }) => group))];
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Backdrop />
        <Radix.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className="pop-in fixed top-[14vh] left-1/2 z-50 w-[min(36rem,92vw)] -translate-x-1/2 overflow-hidden rounded-xl bg-raised text-ink shadow-dialog outline-none"
        >
          <Radix.Title className="sr-only">{t('palette.title')}</Radix.Title>
          <Cmdk label={t('palette.title')} loop>
            <Cmdk.Input
              placeholder={t('palette.placeholder')}
              className="h-12 w-full border-b bg-transparent px-4 text-md outline-none"
            />
            <Cmdk.List className="max-h-[50vh] overflow-y-auto p-1.5">
              <Cmdk.Empty className="px-3 py-6 text-center text-ink-faint">{t('palette.empty')}</Cmdk.Empty>
              {groups.map((group) => (
                <Cmdk.Group
                  key={group}
                  heading={group}
                  className="**:[[cmdk-group-heading]]:px-2.5 **:[[cmdk-group-heading]]:py-1.5 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:text-ink-faint"
                >
                  {commands
                    .filter((command) => command.group === group)
                    .map((command) => (
                      <PaletteItem key={command.id} command={command} onClose={onClose} />
                    ))}
                </Cmdk.Group>
              ))}
            </Cmdk.List>
          </Cmdk>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function PaletteItem({ command, onClose }: { readonly command: Command; readonly onClose: () => void }) {
  const { id, title, shortcut, run } = command;
  return (
    <Cmdk.Item
      value={`${title} ${id}`}
      onSelect={() => {
        onClose();
        run();
      }}
      className="flex h-9 cursor-pointer items-center gap-2 rounded-md px-2.5 data-[selected=true]:bg-hover"
    >
      <span className="min-w-0 grow truncate">{toShownLine(title)}</span>
      {shortcut ? <Kbd keys={shortcut} /> : undefined}
    </Cmdk.Item>
  );
}
