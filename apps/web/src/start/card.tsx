/** One of the requirements on the start screen: what it is, whether it is met, and how to meet it. */
import { CircleCheck } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';

interface CardProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly text: string;
  /** Nothing more to do here. */
  readonly isReady: boolean;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Card({ icon, title, text, isReady, aside, children }: CardProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="flex min-w-0 flex-col gap-4 rounded-xl border bg-surface p-4 @5xl:p-5"
    >
      <header className="flex items-start gap-3">
        <span
          aria-hidden="true"
          className="flex size-9 shrink-0 items-center justify-center rounded-lg bg-sunken text-ink-soft [&_svg]:size-[18px]"
        >
          {icon}
        </span>
        <div className="min-w-0 grow">
          <h2 id={id} className="flex items-center gap-1.5 text-lg font-semibold">
            {title}
            {isReady ? <CircleCheck aria-label={t('start.ready')} className="size-4 text-ok" /> : undefined}
          </h2>
          <p className="text-sm text-ink-faint">{text}</p>
        </div>
        {aside}
      </header>
      {children}
    </section>
  );
}
