/** A titled section of the settings. */
import type { ReactNode } from 'react';

interface SettingsPartProps {
  readonly title: string;
  readonly text: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function SettingsPart({ title, text, aside, children }: SettingsPartProps) {
  return (
    <>
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3 border-b pb-4">
        <div className="min-w-60 grow basis-0">
          <h2 className="text-xl font-semibold">{title}</h2>
          <p className="mt-1 max-w-xl text-ink-faint">{text}</p>
        </div>
        {aside}
      </header>
      {children}
    </>
  );
}
