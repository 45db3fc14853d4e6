/**
 * The frame around every screen: rail, side panel, workspace, inspector, status bar. Their contents are passed in; the shell
 * handles the layout and stores it per project.
 */
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useWork } from '../../api/work-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { type ProjectRoute, storeRoute, useLastRoute, wantedPanel } from '../../navigation/last-route.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { hasGoneSomewhere, navigate, type Route } from '../../navigation/router.ts';
import { type Command, useCommands, useShortcuts } from '../../palette/commands.ts';
import { changeLayout, type SidePanel, useLayout, usePaneSizes } from '../../state/layout.ts';
import { goToTab } from '../../state/open-files.ts';
import { useMay } from '../../state/team-server.ts';
import { attentionCount } from '../../state/work-list.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { type Pane, SplitPanes } from '../../ui/split-panes.tsx';
import { hasLostFocus } from '../../ui/use-action.ts';
import { useIsMedium, useIsNarrow } from '../../ui/use-media.ts';
import { CommandPalette, PALETTE } from './command-palette.tsx';
import { InspectorContext, type InspectorState } from './inspector-toggle.tsx';
import { Rail } from './rail.tsx';
import { ShortcutsHelp } from './shortcuts-help.tsx';
import { type Sheets, useSidePanel } from './use-side-panel.tsx';

export interface ShellProps {
  readonly route: Route;
  readonly title: string;
  readonly main: ReactNode;
  readonly sidePanels?: Readonly<Partial<Record<SidePanel, ReactNode>>>;
  readonly inspector?: ReactNode;
  /** What is inspected: whether the inspector is open is stored for each. */
  readonly inspected?: 'run' | 'thread';
  readonly statusBar?: ReactNode;
}

export function Shell(props: ShellProps) {
  const { route, title, main, sidePanels, inspector, inspected = 'run', statusBar } = props;
  const openKey = inspected === 'run' ? 'hasInspector' : 'hasThreadInspector';
  const { t } = useTranslation();
  const isNarrow = useIsNarrow();
  const isMedium = useIsMedium();
  const projectId = 'projectId' in route ? route.projectId : '';
  const layout = useLayout(projectId);
  const sheets = useSheets(route, layout.activeFile);
  const inspectorState = useInspectorState(projectId, openKey, sheets);
  const projectRoute = useProjectRoute(route);
  const mainRef = useFocusOnRoute(route);
  const { list } = useWork();

  const { panels, sidePanel, showPanel, togglePanel } = useSidePanel({
    projectId,
    projectRoute,
    offered: sidePanels,
    sheets,
  });
  const hasInspector = inspector !== undefined && layout[openKey];
  const { palette, help, closeDialogs } = useShellCommands({
    projectId,
    projectRoute,
    toggleInspector: inspectorState.toggle,
    showWorks: () => showPanel('works'),
  });
  const panes: readonly Pane[] = [
    ...(sidePanel && sidePanels && !isNarrow
      ? [
          {
            id: 'side',
            defaultSize: '260px',
            minSize: '200px',
            maxSize: '45%',
            content: sidePanels[sidePanel],
          },
        ]
      : []),
    { id: 'workspace', minSize: '320px', content: main },
    ...(hasInspector && !isNarrow && !(isMedium && sidePanel)
      ? [{ id: 'inspector', defaultSize: '380px', minSize: '280px', maxSize: '50%', content: inspector }]
      : []),
  ];
  const sizes = usePaneSizes(projectId, panes.map(({ id }) => id).join('-'));

  const rail = (
    <Rail
      route={route}
      sidePanel={sidePanel}
      panels={panels}
      leadsBack={projectId === ''}
      isBar={isNarrow}
      waiting={list ? attentionCount(list) : 0}
      onGo={navigate}
      onTogglePanel={togglePanel}
    />
  );

  return (
    <div className="flex h-full flex-col">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2"
      >
        {t('shell.skip')}
      </a>
      <div className="flex min-h-0 grow">
        {isNarrow ? undefined : rail}
        <main id="main" ref={mainRef} tabIndex={-1} aria-label={title} className="min-w-0 grow outline-none">
          <InspectorContext value={inspectorState}>
            <SplitPanes panes={panes} separatorLabel={t('shell.resize')} {...sizes} />
          </InspectorContext>
        </main>
      </div>
      <InspectorContext value={inspectorState}>{statusBar}</InspectorContext>
      {isNarrow ? rail : undefined}
      {isNarrow ? (
        <ShellSheets
          sheets={sheets}
          side={sidePanel && { panel: sidePanel, content: sidePanels?.[sidePanel] }}
          inspector={inspector}
        />
      ) : undefined}
      <CommandPalette isOpen={palette} onClose={closeDialogs} />
      <ShortcutsHelp isOpen={help} onClose={closeDialogs} />
    </div>
  );
}

interface ShellSheetsProps {
  readonly sheets: Sheets;
  readonly side: { readonly panel: SidePanel; readonly content: ReactNode } | undefined;
  readonly inspector: ReactNode;
}

/** On narrow screens the side panel and the inspector cover the screen. */
function ShellSheets({ sheets, side, inspector }: ShellSheetsProps) {
  const { t } = useTranslation();
  return (
    <>
      {side ? (
        <Dialog sheet="left" title={t(`rail.${side.panel}`)} onClose={() => sheets.setSide(undefined)}>
          {side.content}
        </Dialog>
      ) : undefined}
      {inspector !== undefined && sheets.hasInspector ? (
        <Dialog sheet="right" title={t('inspector.label')} onClose={() => sheets.setInspector(false)}>
          {inspector}
        </Dialog>
      ) : undefined}
    </>
  );
}

/** Sheets cover the screen: they close on navigation or when a file opens, and are not stored. */
function useSheets(route: Route, activeFile: string | undefined): Sheets {
  const [side, setSide] = useState(wantedPanel);
  const [hasInspector, setInspector] = useState(false);
  const [at, setAt] = useState({ route, activeFile });
  if (at.route !== route || at.activeFile !== activeFile) {
    setAt({ route, activeFile });
    setSide(undefined);
    setInspector(false);
  }
  return useMemo(() => ({ side, setSide, hasInspector, setInspector }), [side, hasInspector]);
}

/** Whether the inspector is visible. If only one panel fits, opening it closes the other. */
function useInspectorState(
  projectId: string,
  openKey: 'hasInspector' | 'hasThreadInspector',
  { hasInspector: hasSheet, setInspector }: Sheets,
): InspectorState {
  const isNarrow = useIsNarrow();
  const isMedium = useIsMedium();
  const { [openKey]: hasInspector, sidePanel } = useLayout(projectId);
  const isOpen = isNarrow ? hasSheet : hasInspector && !(isMedium && sidePanel !== undefined);
  return useMemo(() => {
    const show = (): void => {
      if (isNarrow) setInspector(true);
      else changeLayout(projectId, { [openKey]: true, ...(isMedium ? { sidePanel: undefined } : {}) });
    };
    const hide = (): void => {
      if (isNarrow) setInspector(false);
      else changeLayout(projectId, { [openKey]: false });
    };
    return { isOpen, show, toggle: isOpen ? hide : show };
  }, [isOpen, isNarrow, isMedium, projectId, openKey, setInspector]);
}

/** The current project route, else the last one. */
function useProjectRoute(route: Route): ProjectRoute | undefined {
  const last = useLastRoute();
  useEffect(() => {
    if ('projectId' in route) storeRoute(route);
  }, [route]);
  return 'projectId' in route ? route : last;
}

interface ShellCommands {
  readonly projectId: string;
  readonly projectRoute: ProjectRoute | undefined;
  readonly toggleInspector: () => void;
  readonly showWorks: () => void;
}

function useShellCommands({ projectId, projectRoute, toggleInspector, showWorks }: ShellCommands) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<'palette' | 'help'>();
  const lastShowWorks = useRef(showWorks);
  useEffect(() => {
    lastShowWorks.current = showWorks;
  });
  const nearProject = projectRoute?.projectId;
  const mayRun = useMay(nearProject ?? '', 'run');
  const commands = useMemo((): readonly (Command | false)[] => {
    const go = t('palette.go');
    const view = t('palette.view');
    const project = t('palette.project');
    return [
      nearProject !== undefined &&
        mayRun && {
          id: 'new',
          synonyms: t('palette.newWords'),
          title: t('palette.newConversation'),
          group: project,
          shortcut: 'Mod+Shift+O',
          run: () => openInFront({ name: 'project', projectId: nearProject }),
        },
      nearProject !== undefined && {
        id: 'works',
        title: t('rail.works'),
        group: project,
        run: () => lastShowWorks.current(),
      },
      {
        id: PALETTE,
        title: t('palette.title'),
        group: view,
        shortcut: 'Mod+K',
        run: () => setOpen('palette'),
      },
      ...(projectId === ''
        ? []
        : ([1, -1] as const).map((step) => ({
            id: step === 1 ? 'tab.next' : 'tab.previous',
            title: t(step === 1 ? 'shortcuts.nextTab' : 'shortcuts.previousTab'),
            group: view,
            shortcut: step === 1 ? 'Alt+PageDown' : 'Alt+PageUp',
            run: () => goToTab(projectId, step),
          }))),
      {
        id: 'shortcuts',
        title: t('shortcuts.title'),
        group: view,
        shortcut: '?',
        run: () => setOpen('help'),
      },
      { id: 'go.start', title: t('rail.start'), group: go, run: () => navigate({ name: 'start' }) },
      { id: 'go.help', title: t('rail.help'), group: go, run: () => navigate({ name: 'help' }) },
      { id: 'go.packages', title: t('rail.packages'), group: go, run: () => navigate({ name: 'packages' }) },
      {
        id: 'go.settings',
        title: t('rail.settings'),
        group: go,
        shortcut: 'Mod+,',
        run: () => navigate({ name: 'settings' }),
      },
      projectId !== '' && {
        id: 'inspector',
        title: t('inspector.toggle'),
        group: view,
        shortcut: 'Mod+I',
        run: toggleInspector,
      },
    ];
  }, [t, projectId, nearProject, mayRun, toggleInspector]);
  useCommands(commands);
  useShortcuts();
  return {
    palette: open === 'palette',
    help: open === 'help',
    closeDialogs: () => setOpen(undefined),
  };
}

/** Moves the focus to the new screen after a navigation, but not on the first load. */
function useFocusOnRoute(route: Route) {
  const ref = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs with each new route
  useEffect(() => {
    // Another screen has a shell of its own: what was pressed there is gone, and the focus with it.
    if (!isFirst.current || (hasGoneSomewhere() && hasLostFocus())) ref.current?.focus();
    isFirst.current = false;
  }, [route]);
  return ref;
}
