/** Placeholder of an empty list or screen: what will appear here, and the next action. */
import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly icon: ReactNode;
  readonly title: string;
  /** It is the only content of the screen, so its title is the screen's heading. */
  readonly isScreen?: boolean;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ icon, title, isScreen = false, children, action }: EmptyStateProps) {
  const Title = isScreen ? 'h1' : 'p';
  return (
    <div className="flex h-full flex-col items-center justify-center gap-3 px-6 py-10 text-center">
      <div aria-hidden="true" className="rounded-xl border bg-surface p-2.5 text-ink-faint [&_svg]:size-5">
        {icon}
      </div>
      <div className="max-w-80">
        <Title className="font-medium text-ink">{title}</Title>
        {children ? <div className="mt-1 text-ink-faint">{children}</div> : undefined}
      </div>
      {action}
    </div>
  );
}
