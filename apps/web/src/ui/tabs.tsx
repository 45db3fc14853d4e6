/** Tabs. Arrow keys move the focus and activate the tab. */
import { Tabs as Radix } from 'radix-ui';
import {
  type ComponentProps,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
} from 'react';

export interface TabItem {
  readonly id: string;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly TabItem[];
  readonly active: string;
  readonly onChange: (id: string) => void;
  /** Content beside the tabs. */
  readonly aside?: ReactNode;
}

export function Tabs({ label, tabs, active, onChange, aside }: TabsProps) {
  const row = useVisibleTab<HTMLDivElement>(active);
  return (
    <Radix.Root value={active} onValueChange={onChange} className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-center border-b in-data-sheet:pe-11">
        <Radix.List ref={row} aria-label={label} className="no-scrollbar flex grow overflow-x-auto px-1">
          {tabs.map((tab) => (
            <TabTrigger
              key={tab.id}
              value={tab.id}
              onChoose={onChange}
              className="relative flex h-9 shrink-0 items-center gap-1.5 rounded-t-md px-1.25 text-sm font-medium text-ink-faint -outline-offset-2 hover:text-ink data-[state=active]:text-ink data-[state=active]:after:absolute data-[state=active]:after:inset-x-1.25 data-[state=active]:after:bottom-0 data-[state=active]:after:h-0.5 data-[state=active]:after:rounded-full data-[state=active]:after:bg-accent"
            >
              {tab.label}
            </TabTrigger>
          ))}
        </Radix.List>
        {aside}
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="min-h-0 grow overflow-auto outline-none">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

interface TabTriggerProps extends ComponentProps<typeof Radix.Trigger> {
  readonly onChoose: (id: string) => void;
}

/**
 * A tab that shows the focus ring for the keyboard only. Radix focuses it by script when the mouse is pressed, and browsers then
 * show the ring if the focus was in a text field.
 */
export function TabTrigger({ onChoose, ...props }: TabTriggerProps) {
  return (
    <Radix.Trigger {...props} onMouseDownCapture={focusByBrowser} onClick={() => onChoose(props.value)} />
  );
}

function focusByBrowser(event: MouseEvent): void {
  event.stopPropagation();
  if (event.button !== 0 || event.ctrlKey) event.preventDefault();
}

/** Keeps the active tab of a scrolling tab list visible, also after a resize. */
export function useVisibleTab<Row extends HTMLElement>(chosenId: string): RefObject<Row | null> {
  const row = useRef<Row>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the active tab changes
  useEffect(() => {
    const element = row.current;
    if (!element) return undefined;
    const show = (): void =>
      element.querySelector('[data-state="active"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    // The observer also fires with the initial width.
    const observer = new ResizeObserver(show);
    observer.observe(element);
    return () => observer.disconnect();
  }, [chosenId]);
  return row;
}
