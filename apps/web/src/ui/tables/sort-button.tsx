/** The text of a column's head, which sorts by it. */
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { NEXT_ORDER, type SortOrder } from './sort-cells.ts';

interface SortButtonProps {
  readonly order: SortOrder;
  readonly onToggle: () => void;
  /** The column is aligned to its end: the arrow is before the text. */
  readonly isEnd?: boolean;
  readonly children: ReactNode;
}

export function SortButton({ order, onToggle, isEnd = false, children }: SortButtonProps) {
  const { t } = useTranslation();
  const Icon = ICONS[order];
  return (
    <button
      type="button"
      title={t(`text.sort.${NEXT_ORDER[order]}`)}
      onClick={onToggle}
      className={`group/sort inline-flex max-w-full items-center gap-1 rounded-sm text-start font-[inherit] ${isEnd ? 'flex-row-reverse' : ''}`}
    >
      <span className="min-w-0">{children}</span>
      <Icon
        aria-hidden="true"
        className={`size-3 shrink-0 ${order === 'none' ? 'text-ink-faint opacity-0 group-hover/sort:opacity-100 group-focus-visible/sort:opacity-100 pointer-coarse:opacity-100' : 'text-accent-text'}`}
      />
    </button>
  );
}

const ICONS = { none: ChevronsUpDown, ascending: ArrowUp, descending: ArrowDown } as const;
