/** A menu behind a button with three dots. */
import { MoreHorizontal } from 'lucide-react';
import type { ComponentProps } from 'react';
import { IconButton } from '../button.tsx';
import { Menu, type MenuItem } from './menu.tsx';

interface MoreMenuProps extends Omit<ComponentProps<typeof IconButton>, 'children' | 'hasTooltip'> {
  readonly items: readonly MenuItem[];
}

export function MoreMenu({ items, ...button }: MoreMenuProps) {
  return (
    <Menu
      label={button.label}
      items={items}
      trigger={
        <IconButton {...button} hasTooltip={false}>
          <MoreHorizontal />
        </IconButton>
      }
    />
  );
}
