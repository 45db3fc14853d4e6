/** The way around: places at the top, settings at the bottom; a bar along the bottom where there is little room. */
import { Boxes, FolderTree, House, MessagesSquare, Settings } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { Route } from '../../navigation/router.ts';
import type { SidePanel } from '../../state/layout.ts';
import { classNames } from '../../ui/class-names.ts';

interface RailProps {
  readonly route: Route;
  readonly sidePanel: SidePanel | undefined;
  /** Those that there are here, or where they lead back to. */
  readonly panels: readonly SidePanel[];
  /** The panels are elsewhere: pressing one leads there. */
  readonly leadsBack: boolean;
  readonly isBar: boolean;
  readonly onGo: (route: Route) => void;
  readonly onTogglePanel: (panel: SidePanel) => void;
}

export function Rail({ route, sidePanel, panels, leadsBack, isBar, onGo, onTogglePanel }: RailProps) {
  const { t } = useTranslation();
  return (
    <nav
      aria-label={t('rail.label')}
      className={classNames(
        'flex shrink-0 bg-canvas',
        isBar
          ? 'h-14 w-full justify-around border-t p-1'
          : 'h-full w-16 flex-col items-center gap-1 border-e py-2',
      )}
    >
      <RailButton
        label={t('rail.start')}
        isCurrent={route.name === 'start'}
        onPress={() => onGo({ name: 'start' })}
      >
        <House />
      </RailButton>
      {panels.map((panel) => (
        <RailButton
          key={panel}
          label={t(`rail.${panel}`)}
          isOpen={leadsBack ? undefined : sidePanel === panel}
          onPress={() => onTogglePanel(panel)}
        >
          {panel === 'files' ? <FolderTree /> : <MessagesSquare />}
        </RailButton>
      ))}
      <RailButton
        label={t('rail.packages')}
        isCurrent={route.name === 'packages'}
        onPress={() => onGo({ name: 'packages' })}
      >
        <Boxes />
      </RailButton>
      {isBar ? undefined : <div className="grow" />}
      <RailButton
        label={t('rail.settings')}
        isCurrent={route.name === 'settings'}
        onPress={() => onGo({ name: 'settings' })}
      >
        <Settings />
      </RailButton>
    </nav>
  );
}

interface RailButtonProps {
  readonly label: string;
  readonly isCurrent?: boolean;
  readonly isOpen?: boolean | undefined;
  readonly onPress: () => void;
  readonly children: ReactNode;
}

function RailButton({ label, isCurrent = false, isOpen, onPress, children }: RailButtonProps) {
  return (
    <button
      type="button"
      aria-current={isCurrent ? 'page' : undefined}
      aria-expanded={isOpen}
      onClick={onPress}
      className={classNames(
        'flex w-14 flex-col items-center justify-center gap-0.5 rounded-lg py-1.5 text-xs font-medium -outline-offset-2 [&_svg]:size-[18px]',
        // What is only pointed at does not look like where one is.
        isCurrent || isOpen ? 'bg-hover text-ink' : 'text-ink-faint hover:text-ink',
      )}
    >
      <span aria-hidden="true">{children}</span>
      {label}
    </button>
  );
}
