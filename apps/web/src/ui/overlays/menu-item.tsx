/** An item of a menu with an icon. */
import type { LucideIcon } from 'lucide-react';
import type { MenuItem } from './menu.tsx';

export function menuItem(id: string, Icon: LucideIcon, label: string, onChoose: () => void) {
  return { id, label, icon: <Icon />, onChoose } satisfies MenuItem;
}
