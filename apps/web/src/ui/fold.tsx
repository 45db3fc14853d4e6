/** A row that expands. Controlled, so that its state survives when the row is scrolled out of view and unmounted. */
import { ChevronRight } from 'lucide-react';
import { type MouseEvent, type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';

interface FoldProps {
  readonly isOpen: boolean;
  readonly onToggle: (event: MouseEvent) => void;
  readonly summary: ReactNode;
  readonly children: () => ReactNode;
  readonly className?: string;
  /** Arrow keys move between the rows of its list (`useArrowKeys`). */
  readonly isListItem?: boolean;
}

export function Fold({ isOpen, onToggle, summary, children, className, isListItem = false }: FoldProps) {
  const id = useId();
  return (
    <div className={className}>
      <button
        type="button"
        data-list-item={isListItem || undefined}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={onToggle}
        className="group flex min-h-6.5 w-full min-w-0 items-center gap-1.5 rounded-md px-1.5 py-0.5 text-start text-ink-soft hover:bg-hover hover:text-ink"
      >
        <ChevronRight
          className={classNames(
            'size-3.5 shrink-0 text-ink-faint transition-transform duration-(--quick)',
            isOpen && 'rotate-90',
          )}
        />
        {summary}
      </button>
      {isOpen ? (
        <div id={id} className="mt-1 mb-2 ps-6.5">
          {children()}
        </div>
      ) : undefined}
    </div>
  );
}
