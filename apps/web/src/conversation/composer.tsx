/**
 * Where a person writes. Enter sends, Shift+Enter breaks the line, an Enter that composes a character does neither. The text
 * goes only when it was accepted; while something runs it is added to what is told next.
 */
import { ArrowUp, ListPlus, Square } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toShownLine, toShownText } from '../ui/foreign-text.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { isComposing } from '../ui/is-composing.ts';
import { Note } from '../ui/note.tsx';
import { Textarea } from '../ui/textarea.tsx';
import { type CompletionQuery, complete, findCompletion } from './completion.ts';
import { CompletionList, optionId } from './completion-list.tsx';
import { type FindFiles, useCompletions } from './use-completions.ts';

export interface ComposerProps {
  readonly isRunning: boolean;
  /** Title of the node that what is written is for. */
  readonly forNode?: string | undefined;
  readonly queuedInputs: number;
  /** Resolves when the text was accepted. */
  readonly onSend: (text: string) => Promise<void>;
  readonly onStop: () => Promise<void>;
  readonly findFiles?: FindFiles;
}

export function Composer({ isRunning, forNode, queuedInputs, onSend, onStop, findFiles }: ComposerProps) {
  const { t } = useTranslation();
  const listId = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const [query, setQuery] = useState<CompletionQuery>();
  const [active, setActive] = useState(0);
  const [fault, setFault] = useState<string>();
  const [isSending, setSending] = useState(false);
  const choices = useCompletions(query, findFiles);
  const isChoosing = query !== undefined && choices.length > 0;

  const look = (): void => {
    const { value, selectionStart, selectionEnd } = area.current ?? {
      value: '',
      selectionStart: 0,
      selectionEnd: 0,
    };
    setQuery(selectionStart === selectionEnd ? findCompletion(value, selectionStart) : undefined);
    setActive(0);
  };

  const send = async (): Promise<void> => {
    if (text.trim() === '' || isSending) return;
    setSending(true);
    setFault(undefined);
    try {
      await onSend(text);
      // What was typed meanwhile stays.
      setText((now) => (now === text ? '' : now));
      setQuery(undefined);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    } finally {
      setSending(false);
    }
  };

  const stop = (): void => {
    onStop().catch((error: unknown) => setFault(error instanceof Error ? error.message : String(error)));
  };

  const choose = (choice: string): void => {
    if (!query) return;
    const next = complete(text, query, choice);
    setText(next.text);
    setQuery(undefined);
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(next.cursor, next.cursor);
      look();
    });
  };

  const pressKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (!isChoosing || isComposing(event)) return;
    const act: Record<string, () => void> = {
      ArrowDown: () => setActive((active + 1) % choices.length),
      ArrowUp: () => setActive((active + choices.length - 1) % choices.length),
      Enter: () => choose(choices[active] ?? ''),
      Tab: () => choose(choices[active] ?? ''),
      Escape: () => setQuery(undefined),
    };
    const action = event.shiftKey ? undefined : act[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };

  return (
    <div className="relative flex flex-col gap-2">
      {fault === undefined ? undefined : (
        <Note level="error" title={t('composer.notSent')} advice={t('composer.kept')}>
          {toShownText(fault)}
        </Note>
      )}
      {isChoosing ? (
        <CompletionList id={listId} kind={query.kind} choices={choices} active={active} onChoose={choose} />
      ) : undefined}
      <div className="rounded-xl border border-line-strong bg-surface transition-colors duration-(--quick) focus-within:border-accent-text focus-within:ring-1 focus-within:ring-accent-text">
        <Textarea
          ref={area}
          isBare
          value={text}
          maxRows={14}
          aria-label={t('composer.label')}
          aria-autocomplete="list"
          aria-controls={isChoosing ? listId : undefined}
          aria-activedescendant={isChoosing ? optionId(listId, active) : undefined}
          placeholder={isRunning ? t('composer.whileRunning') : t('composer.placeholder')}
          onChange={(event) => {
            setText(event.target.value);
            look();
          }}
          onSelect={look}
          onBlur={() => setQuery(undefined)}
          onKeyDown={pressKey}
          onEnter={() => void send()}
          className="px-3.5 pt-3 pb-1 text-md"
        />
        <div className="flex items-center gap-2 ps-3.5 pe-2 pb-2">
          <p className="min-w-0 grow truncate text-xs text-ink-faint">
            {forNode === undefined
              ? t('composer.hint')
              : t('composer.forNode', { node: toShownLine(forNode) })}
          </p>
          {queuedInputs > 0 ? (
            <span className="shrink-0 text-xs text-ink-faint">
              {t('composer.queued', { count: queuedInputs })}
            </span>
          ) : undefined}
          {isRunning && text.trim() !== '' ? (
            <IconButton
              label={t('composer.queue')}
              shortcut="Enter"
              disabled={isSending}
              onClick={() => void send()}
            >
              <ListPlus aria-hidden="true" />
            </IconButton>
          ) : undefined}
          {isRunning ? (
            <IconButton label={t('composer.stop')} onClick={stop} className={FILLED}>
              <Square aria-hidden="true" className="size-3! fill-current" />
            </IconButton>
          ) : (
            <IconButton
              label={t('composer.send')}
              shortcut="Enter"
              disabled={text.trim() === '' || isSending}
              aria-busy={isSending || undefined}
              onClick={() => void send()}
              className={FILLED}
            >
              <ArrowUp aria-hidden="true" />
            </IconButton>
          )}
        </div>
      </div>
    </div>
  );
}

const FILLED =
  'rounded-full! bg-accent text-accent-ink! enabled:hover:bg-accent-hover disabled:bg-pressed disabled:text-ink-faint! disabled:opacity-100';
