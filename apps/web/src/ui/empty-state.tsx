/** Nothing here yet: what will be, and the next thing to do. */
import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly icon: ReactNode;
  readonly title: string;
  /** It is all there is on the screen: its title is that of the screen. */
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
