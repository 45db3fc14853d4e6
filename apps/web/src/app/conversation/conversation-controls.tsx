/** Status and actions of the conversation: resume, repeat a step, rewind, export, notify. */
import { Play, Square } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useCommands } from '../../palette/commands.ts';
import { useIsReadOnly } from '../../run/past.ts';
import type { ShownStory } from '../../state/conversation-store.ts';
import { useLayout } from '../../state/layout.ts';
import { OVERVIEW_TAB } from '../../state/open-files.ts';
import { useShownPhase } from '../../state/shown-phase.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/errors/error-note.tsx';
import { PhasePill } from '../../ui/phase-pill.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useIsNarrow } from '../../ui/use-media.ts';
import { ConversationMenu } from './conversation-menu.tsx';

interface ConversationControlsProps {
  readonly projectId: string;
  /** The active run or thread. */
  readonly active: ShownStory;
  /** The inspected run or thread. */
  readonly inspected: ShownStory;
  /** Without a connection the status is unknown and actions are disabled. */
  readonly isConnected: boolean;
  readonly onStop: () => Promise<void>;
  readonly onResume: () => Promise<void>;
}

export function ConversationControls(props: ConversationControlsProps) {
  const { projectId, active, inspected, isConnected, onStop, onResume } = props;
  const { t } = useTranslation();
  const { openFiles, activeFile } = useLayout(projectId);
  const stop = useAction(onStop);
  const resume = useAction(onResume);
  const { kind, ...status } = active.status;
  const isReadOnly = useIsReadOnly();
  const canAct = isConnected && !isReadOnly;
  const isRunning = kind === 'running' && canAct;
  const canResume = status.canResume && canAct;
  const run = useRef({ stop: stop.run, resume: resume.run });
  run.current = { stop: stop.run, resume: resume.run };
  useCommands(
    useMemo(
      () => [
        isRunning && {
          id: 'stop',
          title: t('action.stop'),
          group: t('palette.project'),
          shortcut: 'Mod+.',
          run: () => run.current.stop(),
        },
        canResume &&
          !isRunning && {
            id: 'resume',
            title: t('action.resume'),
            group: t('palette.project'),
            run: () => run.current.resume(),
          },
      ],
      [isRunning, canResume, t],
    ),
  );
  const phase = useShownPhase(active, isConnected);
  const issue = stop.issue ?? resume.issue;
  const isNarrow = useIsNarrow();
  // The composer has its own Stop button, but an open file hides it.
  const isBehindFile =
    activeFile === OVERVIEW_TAB || (activeFile !== undefined && openFiles.includes(activeFile));
  return (
    <>
      <ErrorLine issue={issue} />
      {/* On narrow screens the status bar shows it, so that the title has room. Completion is shown in the story. */}
      {isNarrow || (kind === 'completed' && isConnected) ? undefined : <PhasePill phase={phase} />}
      {kind === 'running' && isBehindFile && !isReadOnly ? (
        <Button
          size="sm"
          icon={<Square className="size-3" />}
          isBusy={stop.isBusy}
          disabled={!isConnected}
          onClick={() => stop.run()}
        >
          {t('action.stop')}
        </Button>
      ) : undefined}
      {canResume ? (
        <Button
          size="sm"
          icon={<Play className="size-3" />}
          isBusy={resume.isBusy}
          disabled={!isConnected}
          onClick={() => resume.run()}
        >
          {t('action.resume')}
        </Button>
      ) : undefined}
      <ConversationMenu projectId={projectId} active={active} inspected={inspected} onResume={onResume} />
    </>
  );
}
