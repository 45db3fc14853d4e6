/** Main navigation: screens and panels at the top, settings at the bottom; a bottom bar in narrow windows. */
import { BookOpen, Boxes, FolderTree, House, MessagesSquare, Settings, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { Route } from '../../navigation/router.ts';
import type { SidePanel } from '../../state/layout.ts';
import { useTeamServer } from '../../state/team-server.ts';
import { BrandMark } from '../../ui/brand-mark.tsx';
import { classNames } from '../../ui/class-names.ts';

interface RailProps {
  readonly route: Route;
  readonly sidePanel: SidePanel | undefined;
  /** Panels of this screen, or of the screen they lead back to. */
  readonly panels: readonly SidePanel[];
  /** The panels belong to another screen: pressing one navigates there. */
  readonly leadsBack: boolean;
  readonly isBar: boolean;
  /** Number of Works in all projects that need attention; one badge shows it. */
  readonly waiting: number;
  readonly onGo: (route: Route) => void;
  readonly onTogglePanel: (panel: SidePanel) => void;
}

export function Rail(props: RailProps) {
  const { route, sidePanel, panels, leadsBack, isBar, waiting, onGo, onTogglePanel } = props;
  const { t } = useTranslation();
  const isTeam = useTeamServer(({ me }) => me !== undefined);
  const screen = (
    name: 'start' | 'packages' | 'team' | 'help' | 'settings',
    icon: ReactNode,
    asking = 0,
  ): ReactNode => (
    <RailButton
      label={t(`rail.${name}`)}
      isCurrent={route.name === name}
      waiting={asking}
      onPress={() => onGo({ name })}
    >
      {icon}
    </RailButton>
  );
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
      {isBar ? undefined : <BrandMark className="mt-0.5 mb-2 size-8" />}
      {screen('start', <House />, waiting)}
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
      {screen('packages', <Boxes />)}
      {isTeam ? screen('team', <Users />) : undefined}
      {isBar ? undefined : <div className="grow" />}
      {screen('help', <BookOpen />)}
      {screen('settings', <Settings />)}
    </nav>
  );
}

interface RailButtonProps {
  readonly label: string;
  readonly isCurrent?: boolean;
  readonly isOpen?: boolean | undefined;
  readonly onPress: () => void;
  readonly waiting?: number;
  readonly children: ReactNode;
}

function RailButton({ label, isCurrent = false, isOpen, waiting = 0, onPress, children }: RailButtonProps) {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      aria-current={isCurrent ? 'page' : undefined}
      aria-expanded={isOpen}
      onClick={onPress}
      className={classNames(
        'flex w-14 min-w-0 flex-col items-center justify-center gap-0.5 rounded-lg py-1.5 text-xs font-medium -outline-offset-2 [&_svg]:size-[18px]',
        // Hover must look different from the current item.
        isCurrent || isOpen ? 'bg-hover text-ink' : 'text-ink-faint hover:text-ink',
      )}
    >
      <span aria-hidden="true" className="relative">
        {children}
        {waiting > 0 ? (
          <span className="absolute -top-1.5 -right-2.5 flex h-4 min-w-4 items-center justify-center rounded-full bg-warn px-1 text-[0.625rem] font-semibold text-surface tabular-nums">
            {waiting > MAX_SHOWN ? `${MAX_SHOWN}+` : waiting}
          </span>
        ) : undefined}
      </span>
      {label}
      {waiting > 0 ? (
        <span className="sr-only">, {t('attention.count', { count: waiting })}</span>
      ) : undefined}
    </button>
  );
}

/** A longer number would hide the icon; the label says it in full. */
const MAX_SHOWN = 999;
