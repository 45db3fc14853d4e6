/** Buttons of the composer (send, or, during a turn, queue, send now and stop), and the notes above it. */
import { ArrowUp, FastForward, ListPlus, Square } from 'lucide-react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Note } from '../../ui/note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import type { SendError } from './use-sending.ts';

interface ComposerButtonsProps {
  readonly isRunning: boolean;
  readonly isBlank: boolean;
  readonly isSending: boolean;
  readonly isConnected: boolean;
  readonly queuedInputs: number;
  readonly onSend: () => void;
  readonly onSendNow?: () => void;
  readonly onStop: () => void;
}

export function ComposerButtons(props: ComposerButtonsProps) {
  const { isRunning, isBlank, isSending, isConnected, queuedInputs, onSend, onSendNow, onStop } = props;
  const cannotSend = isSending || !isConnected;
  const { t } = useTranslation();
  const waits =
    queuedInputs > 0 ? (
      <span className="shrink-0 text-xs text-ink-faint">{t('composer.queued', { count: queuedInputs })}</span>
    ) : undefined;
  if (!isRunning) {
    return (
      <>
        {waits}
        <IconButton
          label={t('composer.send')}
          shortcut="Enter"
          disabled={isBlank || cannotSend}
          aria-busy={isSending || undefined}
          onClick={onSend}
          className={FILLED}
        >
          <ArrowUp aria-hidden="true" />
        </IconButton>
      </>
    );
  }
  return (
    <>
      {waits}
      {onSendNow && (queuedInputs > 0 || !isBlank) ? (
        <Button
          size="sm"
          icon={<FastForward aria-hidden="true" className="size-3.5" />}
          disabled={cannotSend}
          title={t('composer.sendNowHint')}
          onClick={onSendNow}
        >
          {t('composer.sendNow')}
        </Button>
      ) : undefined}
      {isBlank ? undefined : (
        <IconButton label={t('composer.queue')} shortcut="Enter" disabled={cannotSend} onClick={onSend}>
          <ListPlus aria-hidden="true" />
        </IconButton>
      )}
      <IconButton label={t('action.stop')} disabled={!isConnected} onClick={onStop} className={FILLED}>
        <Square aria-hidden="true" className="size-3! fill-current" />
      </IconButton>
    </>
  );
}

const FILLED =
  'rounded-full! bg-accent text-accent-ink! enabled:hover:bg-accent-hover disabled:bg-pressed disabled:text-ink-faint! disabled:opacity-100';

interface ComposerNotesProps {
  readonly issue: SendError | undefined;
  /** Names of files outside the project. */
  readonly strangers: readonly string[];
  readonly onClose: () => void;
}

export function ComposerNotes({ issue, strangers, onClose }: ComposerNotesProps) {
  const { t } = useTranslation();
  return (
    <>
      {issue?.kind === 'error' ? (
        <ErrorNote issue={issue.error} title={t('composer.notSent')} besides={t('composer.kept')} />
      ) : undefined}
      {issue?.kind === 'rejected' ? (
        <p role="status" className="px-1 text-sm text-ink-soft">
          {t('composer.notTaken')}
        </p>
      ) : undefined}
      {strangers.length > 0 ? (
        <Note
          level="info"
          title={t('composer.outside', { count: strangers.length, name: toShownLine(strangers[0] ?? '') })}
          advice={t('composer.outsideAdvice')}
          actions={
            <Button size="sm" onClick={onClose}>
              {t('action.close')}
            </Button>
          }
        >
          {t('composer.outsideWhy')}
        </Note>
      ) : undefined}
    </>
  );
}
