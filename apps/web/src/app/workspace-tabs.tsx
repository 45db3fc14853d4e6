/** The tabs of the workspace. The first is the conversation and stays; files follow and can be closed. */
import { X } from 'lucide-react';
import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/foreign-text.ts';

export interface WorkspaceTab {
  readonly id: string;
  readonly title: string;
  readonly icon?: ReactNode;
  readonly isDirty?: boolean;
  readonly canClose: boolean;
  readonly content: ReactNode;
}

interface WorkspaceTabsProps {
  readonly tabs: readonly WorkspaceTab[];
  readonly active: string;
  readonly onChange: (id: string) => void;
  readonly onClose: (id: string) => void;
  readonly aside?: ReactNode;
}

export function WorkspaceTabs({ tabs, active, onChange, onClose, aside }: WorkspaceTabsProps) {
  const { t } = useTranslation();
  return (
    <Radix.Root value={active} onValueChange={onChange} className="flex h-full min-h-0 flex-col bg-surface">
      <div className="flex h-10 shrink-0 items-stretch border-b bg-canvas">
        <Radix.List
          aria-label={t('workspace.tabs')}
          className="flex min-w-0 grow items-stretch overflow-x-auto"
        >
          {tabs.map((tab) => (
            <span
              key={tab.id}
              className="group relative flex shrink-0 items-center border-e has-[[data-state=active]]:bg-surface"
            >
              <Radix.Trigger
                value={tab.id}
                ref={tab.id === active ? showWhole : undefined}
                aria-keyshortcuts={tab.canClose ? 'Delete' : undefined}
                // Closed with the keyboard as in other editors.
                onKeyDown={(event) => {
                  if (event.key === 'Delete' && tab.canClose) onClose(tab.id);
                }}
                className={`flex h-full max-w-56 items-center gap-2 ps-3.5 text-ink-faint -outline-offset-2 hover:text-ink data-[state=active]:text-ink [&_svg]:size-4 [&_svg]:shrink-0 ${tab.canClose ? 'pe-8' : 'pe-4'}`}
              >
                {tab.icon}
                <span className="truncate">{toShownLine(tab.title)}</span>
                {tab.isDirty ? <span title={t('workspace.dirty')}>●</span> : undefined}
              </Radix.Trigger>
              {tab.canClose ? (
                // In a list of tabs there are only tabs: for the pointer alone, the keyboard has Delete.
                <button
                  type="button"
                  tabIndex={-1}
                  aria-hidden="true"
                  title={t('workspace.closeTab', { title: toShownLine(tab.title) })}
                  onClick={() => onClose(tab.id)}
                  className="absolute end-1.5 rounded-sm p-0.5 text-ink-faint hover:bg-hover hover:text-ink"
                >
                  <X aria-hidden="true" className="size-3.5" />
                </button>
              ) : undefined}
            </span>
          ))}
        </Radix.List>
        {aside ? <div className="flex shrink-0 items-center gap-1 px-2">{aside}</div> : undefined}
      </div>
      {tabs.map((tab) => (
        <Radix.Content
          key={tab.id}
          value={tab.id}
          // What is typed in the one that stays, and where one was in it, outlasts a look at a file.
          {...(tab.canClose ? {} : { forceMount: true, hidden: tab.id !== active })}
          className="min-h-0 grow outline-none"
        >
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

function showWhole(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
