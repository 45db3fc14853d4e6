/** Further actions for a run, besides stopping and resuming it. */
import { Bell, BellOff, Ellipsis, RotateCcw, StepBack, Volume2, VolumeX } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useMenuCommands } from '../../palette/use-menu-commands.ts';
import { useExports } from '../../run/inspector/log/use-exports.tsx';
import { rewindTargets } from '../../run/undo/to-rewind.ts';
import type { ShownStory } from '../../state/conversation-store.ts';
import { playSound, setWantsNews, setWantsSound, useNews } from '../../state/news.ts';
import { IconButton } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/errors/error-note.tsx';
import { Menu, type MenuItem, type MenuList } from '../../ui/overlays/menu.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';

interface ConversationMenuProps {
  readonly active: ShownStory;
  /** The run or thread that is exported. */
  readonly inspected: ShownStory;
  readonly onResume: () => Promise<void>;
}

export function ConversationMenu({ active, inspected, onResume }: ConversationMenuProps) {
  const { t } = useTranslation();
  const [rewind, setRewind] = useState<'redo' | 'back'>();
  const { items: exports, issue } = useExports(inspected);
  const news = useNewsItem();
  const sound = useSoundItem();
  const canRewind = active.visits.length > 0;
  const isBusy = active.status.kind === 'running';
  const items: MenuList = [
    canRewind && {
      id: 'redo',
      label: t('control.redo'),
      icon: <RotateCcw />,
      isDisabled: isBusy,
      onChoose: () => setRewind('redo'),
    },
    canRewind && {
      id: 'back',
      label: t('control.back'),
      icon: <StepBack />,
      isDisabled: isBusy || rewindTargets(active).length === 0,
      onChoose: () => setRewind('back'),
    },
    canRewind && 'separator',
    ...exports,
    'separator',
    news,
    sound,
  ];
  useMenuCommands(items);
  return (
    <>
      <ErrorLine issue={issue} />
      <Menu
        label={t('control.more')}
        items={items}
        trigger={
          <IconButton label={t('control.more')} hasTooltip={false}>
            <Ellipsis />
          </IconButton>
        }
      />
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

const RewindDialog = lazy(async () => ({
  default: (await import('../../run/undo/rewind-dialog.tsx')).RewindDialog,
}));

function useSoundItem(): MenuItem {
  const { t } = useTranslation();
  const { wantsSound } = useNews();
  return {
    id: 'sound',
    label: t(wantsSound ? 'attention.soundOff' : 'attention.soundOn'),
    icon: wantsSound ? <VolumeX /> : <Volume2 />,
    onChoose: () => {
      setWantsSound(!wantsSound);
      // Plays a sample of the sound.
      if (!wantsSound) playSound();
    },
  };
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
    setWantsNews(isGranted);
    if (isGranted) show(t('control.news.isOn'));
  };
  return {
    id: 'news',
    label: t(isBlocked ? 'control.news.blocked' : isOn ? 'control.news.off' : 'control.news.on'),
    icon: isOn || isBlocked ? <BellOff /> : <Bell />,
    isDisabled: isBlocked,
    onChoose: () => (isOn ? setWantsNews(false) : void turnOn()),
  };
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
