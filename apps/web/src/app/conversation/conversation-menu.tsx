/** Further actions for a run, besides stopping and resuming it. */
import {
  Bell,
  BellOff,
  FlaskConical,
  History,
  RotateCcw,
  StepBack,
  UserRoundCheck,
  Volume2,
  VolumeX,
} from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openReplay } from '../../navigation/moment.ts';
import { useMenuCommands } from '../../palette/commands.ts';
import { useExports } from '../../run/inspector/log/use-exports.tsx';
import { rewindTargets } from '../../run/undo/to-rewind.ts';
import type { ShownStory } from '../../state/conversation-store.ts';
import { playSound, useNews } from '../../state/news.ts';
import { useMay, useTeamServer } from '../../state/team-server.ts';
import { ErrorLine } from '../../ui/errors/error-note.tsx';
import { type MenuItem, type MenuList, MoreMenu, menuItem } from '../../ui/overlays/menu.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';

interface ConversationMenuProps {
  readonly projectId: string;
  readonly active: ShownStory;
  /** The run or thread that is exported. */
  readonly inspected: ShownStory;
  readonly onResume: () => Promise<void>;
}

export function ConversationMenu({ projectId, active, inspected, onResume }: ConversationMenuProps) {
  const { t } = useTranslation();
  const [rewind, setRewind] = useState<'redo' | 'back'>();
  const { items: exports, issue } = useExports(projectId, inspected);
  const news = useNewsItem();
  const sound = useSoundItem();
  const isTeam = useTeamServer(({ me }) => me !== undefined);
  const mayRun = useMay(projectId, 'run');
  const mayHandOver = mayRun && isTeam;
  const [isHandingOver, setHandingOver] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const canSave = !isTeam && inspected.visits.length > 0 && inspected.status.isCompleted;
  const canRewind = mayRun && active.visits.length > 0;
  const isBusy = active.status.kind === 'running';
  const items: MenuList = [
    menuItem('replay', History, t('control.replay'), openReplay),
    canRewind &&
      menuItem('redo', RotateCcw, t('control.redo'), () => setRewind('redo'), { isDisabled: isBusy }),
    canRewind &&
      menuItem('back', StepBack, t('control.back'), () => setRewind('back'), {
        isDisabled: isBusy || rewindTargets(active).length === 0,
      }),
    canSave && menuItem('saveTest', FlaskConical, t('control.saveTest'), () => setSaving(true)),
    mayHandOver && menuItem('handOver', UserRoundCheck, t('control.handOver'), () => setHandingOver(true)),
    'separator',
    ...exports,
    'separator',
    news,
    sound,
  ];
  useMenuCommands(items);
  return (
    <>
      <ErrorLine issue={issue} />
      <MoreMenu label={t('control.more')} items={items} />
      {isSaving ? (
        <Suspense>
          <SaveTestDialog
            runId={inspected.runId}
            title={inspected.workflow?.title ?? ''}
            onClose={() => setSaving(false)}
          />
        </Suspense>
      ) : undefined}
      {isHandingOver ? (
        <Suspense>
          <HandOverDialog projectId={projectId} workId={active.runId} onClose={() => setHandingOver(false)} />
        </Suspense>
      ) : undefined}
      {rewind === undefined ? undefined : (
        <Suspense>
          <RewindDialog
            key={active.runId}
            kind={rewind}
            view={active}
            onResume={onResume}
            onClose={() => setRewind(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

const HandOverDialog = lazy(() => import('../../team/hand-over-dialog.tsx'));
const SaveTestDialog = lazy(() => import('./save-test-dialog.tsx'));
const RewindDialog = lazy(() => import('../../run/undo/rewind-dialog.tsx'));

function useSoundItem(): MenuItem {
  const { t } = useTranslation();
  const { wantsSound } = useNews();
  const label = t(wantsSound ? 'attention.soundOff' : 'attention.soundOn');
  return menuItem('sound', wantsSound ? VolumeX : Volume2, label, () => {
    useNews.setState({ wantsSound: !wantsSound });
    // Plays a sample of the sound.
    if (!wantsSound) playSound();
  });
}

/** Requests the permission only on demand; a denied permission can only be changed in the browser's settings. */
function useNewsItem(): MenuItem | false {
  const { t } = useTranslation();
  const show = useToasts((toasts) => toasts.show);
  const { wantsNews } = useNews();
  const { permission, ask } = usePermission();
  if (permission === undefined) return false;
  const isBlocked = permission === 'denied';
  const isOn = wantsNews && permission === 'granted';
  const turnOn = async (): Promise<void> => {
    const isGranted = (await ask()) === 'granted';
    useNews.setState({ wantsNews: isGranted });
    if (isGranted) show(t('control.news.isOn'));
  };
  const label = t(isBlocked ? 'control.news.blocked' : isOn ? 'control.news.off' : 'control.news.on');
  const toggle = isOn ? () => useNews.setState({ wantsNews: false }) : () => void turnOn();
  return menuItem('news', isOn || isBlocked ? BellOff : Bell, label, toggle, { isDisabled: isBlocked });
}

/** Read on window focus: reading it takes a millisecond, too slow for every frame of a streaming reply. */
function usePermission() {
  const [permission, setPermission] = useState(readPermission);
  useEffect(() => {
    const update = (): void => setPermission(readPermission());
    addEventListener('focus', update);
    return () => removeEventListener('focus', update);
  }, []);
  const ask = async (): Promise<NotificationPermission> => {
    const answer = await Notification.requestPermission();
    setPermission(answer);
    return answer;
  };
  return { permission, ask };
}

/** Undefined if the browser has no notifications. */
function readPermission(): NotificationPermission | undefined {
  return 'Notification' in globalThis ? Notification.permission : undefined;
}
