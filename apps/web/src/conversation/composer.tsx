/**
 * Where a person writes. Enter sends, Shift+Enter breaks the line, an Enter that composes a character does neither. The text
 * goes only when it was accepted; while something runs it is added to what is told next.
 */
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { classNames } from '../ui/class-names.ts';
import { toShownLine } from '../ui/foreign-text.ts';
import { Textarea } from '../ui/textarea.tsx';
import { putInto, toMention } from './completion.ts';
import { CompletionList, optionId } from './completion-list.tsx';
import { ComposerButtons } from './composer-buttons.tsx';
import { ComposerNotes } from './composer-notes.tsx';
import { useCompleting } from './use-completing.ts';
import type { CompletionSources } from './use-completions.ts';
import { useDraft } from './use-draft.ts';
import { useFileDrop } from './use-file-drop.ts';
import { useSending } from './use-sending.ts';

export interface ComposerProps extends CompletionSources {
  readonly isRunning: boolean;
  /** Title of the node that what is written is for. */
  readonly forNode?: string | undefined;
  readonly queuedInputs: number;
  /** Resolves when the text was accepted. */
  readonly onSend: (text: string) => Promise<void>;
  /** Stops what runs, so that what waits and this text are told at once. */
  readonly onSendNow?: ((text: string) => Promise<void>) | undefined;
  readonly onStop: () => Promise<void>;
  /** What is written is kept under this name. */
  readonly draftName: string;
  /** Who answers, and whom one talks to. */
  readonly pickers?: ReactNode;
}

export function Composer(props: ComposerProps) {
  const { isRunning, forNode, queuedInputs, onSend, onSendNow, onStop, pickers } = props;
  const { t } = useTranslation();
  const listId = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(props.draftName);
  const { text } = draft;
  const [strangers, setStrangers] = useState<readonly string[]>([]);
  const [placed, setPlaced] = useState<{ readonly cursor: number }>();
  const { isSending, fault, send, forget } = useSending();
  // Nothing that is under way may keep one from stopping.
  const stopping = useSending();
  const put = (next: { readonly text: string; readonly cursor: number }): void => {
    draft.change(next.text);
    setPlaced(next);
  };
  const completing = useCompleting({ ...props, area, onPut: put });
  const drop = useFileDrop({
    onPath: (path) => {
      put(putInto(area.current?.value ?? '', cursorOf(area.current), toMention(path)));
      setStrangers([]);
    },
    onForeign: setStrangers,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each text that was put there
  useLayoutEffect(() => {
    if (!placed) return;
    area.current?.focus();
    area.current?.setSelectionRange(placed.cursor, placed.cursor);
    completing.look();
  }, [placed]);

  const clear = (): void => {
    draft.clear(text);
    completing.close();
    setStrangers([]);
  };
  const isBlank = text.trim() === '';
  const sendIt = (): void => {
    if (!isBlank) send(() => onSend(text), clear);
  };

  return (
    <div className="relative flex flex-col gap-2" {...drop.handlers}>
      <ComposerNotes
        fault={fault ?? stopping.fault}
        strangers={strangers}
        onClose={() => {
          forget();
          stopping.forget();
          setStrangers([]);
        }}
      />
      {completing.isOpen ? (
        <CompletionList id={listId} {...completing} onChoose={completing.choose} />
      ) : undefined}
      <div
        className={classNames(
          'rounded-xl border border-line-strong bg-surface transition-colors duration-(--quick) focus-within:border-accent-text focus-within:ring-1 focus-within:ring-accent-text',
          drop.isOver && 'border-accent-text bg-accent-soft',
        )}
      >
        {forNode === undefined ? undefined : (
          <p className="truncate px-3.5 pt-2 text-xs text-ink-faint">
            {t('composer.forNode', { node: toShownLine(forNode) })}
          </p>
        )}
        <Textarea
          ref={area}
          isBare
          value={text}
          maxRows={14}
          aria-label={t('composer.label')}
          aria-autocomplete="list"
          aria-controls={completing.isOpen ? listId : undefined}
          aria-activedescendant={completing.isOpen ? optionId(listId, completing.active) : undefined}
          placeholder={isRunning ? t('composer.whileRunning') : t('composer.placeholder')}
          onChange={(event) => {
            draft.change(event.target.value);
            completing.look();
          }}
          onSelect={completing.look}
          onBlur={completing.close}
          onKeyDown={completing.onKeyDown}
          onEnter={sendIt}
          className={classNames('px-3.5 pb-1 text-md', forNode === undefined ? 'pt-3' : 'pt-1')}
        />
        <div className="flex items-center gap-1.5 ps-1.5 pe-2 pb-2">
          {pickers}
          <p className="min-w-0 truncate ps-2 text-xs text-ink-faint max-sm:hidden">
            {t(drop.isOver ? 'composer.letGo' : 'composer.hint')}
          </p>
          <div className="ms-auto flex shrink-0 items-center gap-1.5">
            <ComposerButtons
              isRunning={isRunning}
              isBlank={isBlank}
              isSending={isSending}
              queuedInputs={queuedInputs}
              onSend={sendIt}
              onStop={() => stopping.send(onStop)}
              {...(onSendNow ? { onSendNow: () => send(() => onSendNow(isBlank ? '' : text), clear) } : {})}
            />
          </div>
        </div>
      </div>
    </div>
  );
}

/** Where one was writing last; else behind everything. */
function cursorOf(area: HTMLTextAreaElement | null): { readonly start: number; readonly end: number } {
  const { value = '', selectionStart = 0, selectionEnd = 0 } = area ?? {};
  return selectionEnd === 0
    ? { start: value.length, end: value.length }
    : { start: selectionStart, end: selectionEnd };
}
