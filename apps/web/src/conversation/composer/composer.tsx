/**
 * The message field. Enter sends, Shift+Enter inserts a line break, an Enter that confirms a composition does neither. The text
 * is cleared only when it was accepted; during a turn it is queued for the next one.
 */
import { type ReactNode, type Ref, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { AttachButton, AttachmentList } from '../../run/attachments/attachment-list.tsx';
import { toMention } from '../../run/attachments/mention.ts';
import { type AttachmentApi, useAttachments } from '../../run/attachments/use-attachments.ts';
import { useFileDrop } from '../../run/attachments/use-file-drop.ts';
import { classNames } from '../../ui/class-names.ts';
import { joinRefs, Textarea } from '../../ui/forms/input.tsx';
import { putInto } from '../completion/completion.ts';
import { CompletionList } from '../completion/completion-list.tsx';
import { type CompletionSources, useCompleting } from '../completion/use-completing.ts';
import { ComposerButtons, ComposerNotes } from './composer-buttons.tsx';
import { useComposerWords, type WordsProps } from './composer-words.ts';
import { useDraft } from './use-draft.ts';
import { useSending } from './use-sending.ts';

export interface ComposerProps extends CompletionSources, WordsProps, AttachmentApi {
  readonly queuedInputs: number;
  /** Without a connection nothing can be sent or stopped; the draft is kept. */
  readonly isConnected?: boolean;
  /** Resolves when the text was accepted. */
  readonly onSend: (text: string) => Promise<void>;
  /** Stops the turn, so that queued messages and this text are sent immediately. */
  readonly onSendNow?: ((text: string) => Promise<void>) | undefined;
  readonly onStop: () => Promise<void>;
  /** Storage key of the draft. */
  readonly draftName: string;
  /** Agent and model pickers. */
  readonly pickers?: ReactNode;
  /** The text field. */
  readonly ref?: Ref<HTMLTextAreaElement>;
}

export function Composer(props: ComposerProps) {
  const { isRunning, queuedInputs, isConnected = true, draftName, pickers } = props;
  const { t } = useTranslation();
  const listId = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(draftName);
  const { text } = draft;
  const inserted = useInsertedText(props, area, draft.change);
  const { completing, drop, strangers, forgetStrangers, attaching } = inserted;
  const clear = (): void => {
    draft.clear(text);
    completing.close();
    forgetStrangers();
    attaching.clear();
  };
  const isBlank = text.trim() === '';
  const { isSending, issue, send, sendNow, stop, forget } = useSendText(
    // A file that is being stored is mentioned in the message.
    { ...props, isConnected: isConnected && !attaching.isStoring },
    text,
    clear,
  );
  const words = useComposerWords(props);
  const hint = drop.isOver ? (props.attach ? 'composer.letGoAttach' : 'composer.letGo') : 'composer.hint';

  return (
    <div className="relative flex flex-col gap-2" {...drop.handlers}>
      <ComposerNotes
        issue={issue}
        strangers={strangers}
        onClose={() => {
          forget();
          forgetStrangers();
        }}
      />
      {completing.isOpen ? (
        <CompletionList
          id={listId}
          {...completing}
          isBusy={!completing.areCurrent}
          onChoose={completing.choose}
        />
      ) : undefined}
      <div
        className={classNames(
          'rounded-xl border border-line-strong bg-surface transition-colors duration-(--quick) focus-within:border-accent-text focus-within:ring-1 focus-within:ring-accent-text',
          drop.isOver && 'border-accent-text bg-accent-soft',
        )}
      >
        {words.above === undefined ? undefined : (
          <p className="truncate px-3.5 pt-2 text-xs text-ink-faint">{words.above}</p>
        )}
        <AttachmentList
          // A stored file is what the text mentions, however it is removed.
          attachments={attaching.attachments.filter((one) => !one.path || text.includes(toMention(one.path)))}
          onRemove={attaching.remove}
          className="px-2.5 pt-2.5"
        />
        <Textarea
          ref={joinRefs(area, props.ref)}
          isBare
          value={text}
          maxRows={14}
          aria-label={t('composer.label')}
          aria-autocomplete="list"
          aria-controls={completing.isOpen ? listId : undefined}
          aria-activedescendant={completing.isOpen ? `${listId}-${completing.active}` : undefined}
          placeholder={words.placeholder}
          onChange={(event) => {
            draft.change(event.target.value);
            completing.look();
          }}
          onSelect={completing.look}
          onBlur={completing.close}
          onPaste={attaching.onPaste}
          onKeyDown={completing.onKeyDown}
          onEnter={send}
          className={classNames(
            'px-3.5 pb-1 text-md',
            words.above === undefined ? 'pt-3' : 'pt-1',
            isSending && 'text-ink-faint',
          )}
        />
        <ComposerFoot
          pickers={pickers}
          onFiles={props.attach && attaching.add}
          isHint={!isSending && isConnected}
          status={t(isSending ? 'composer.sending' : isConnected ? hint : 'composer.isKept')}
        >
          <ComposerButtons
            {...{ isRunning, isBlank, isSending, isConnected, queuedInputs }}
            onSend={send}
            onSendNow={sendNow}
            onStop={stop}
          />
        </ComposerFoot>
      </div>
    </div>
  );
}

interface ComposerFootProps extends Pick<ComposerProps, 'pickers'> {
  /** Undefined where nothing can be attached. */
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
  /** The status is a hint, which is shown as a whole or not at all. */
  readonly isHint: boolean;
  readonly status: string;
  /** The buttons. */
  readonly children: ReactNode;
}

function ComposerFoot({ pickers, onFiles, isHint, status, children }: ComposerFootProps) {
  return (
    <div className="@container flex items-center gap-1.5 ps-1.5 pe-2 pb-2 max-sm:items-end">
      {/* On a phone the choices take a second line, so that each is read as a whole. */}
      <div className="flex min-w-0 items-center gap-1.5 max-sm:flex-wrap max-sm:gap-x-1 max-sm:gap-y-0">
        {onFiles ? <AttachButton onFiles={onFiles} /> : undefined}
        {pickers}
      </div>
      <p
        role="status"
        // The choices are more important than the hint, which takes the room that they leave.
        className={classNames(
          'min-w-0 flex-1 ps-2 text-xs text-ink-faint',
          // In a second line, which is hidden, if the first is too short.
          isHint
            ? 'flex h-[1lh] flex-wrap overflow-hidden before:h-[1lh] before:w-px @max-xl:hidden'
            : 'truncate',
        )}
      >
        {isHint ? <span className="whitespace-nowrap">{status}</span> : status}
      </p>
      <div className="ms-auto flex shrink-0 items-center gap-1.5">{children}</div>
    </div>
  );
}

/** `onSent` is called when the text was accepted. */
function useSendText(props: ComposerProps, text: string, onSent: () => void) {
  const { draftName, isConnected = true, onSend, onSendNow, onStop } = props;
  const { isSending, issue, send, forget } = useSending(`${draftName} words`);
  // Stopping must stay possible while a message is being sent.
  const stopping = useSending(`${draftName} stop`);
  const isBlank = text.trim() === '';
  return {
    isSending,
    issue: issue ?? stopping.issue,
    send: (): void => {
      if (!isBlank && isConnected) send(() => onSend(text), onSent);
    },
    sendNow: onSendNow && (() => send(() => onSendNow(isBlank ? '' : text), onSent)),
    stop: () => stopping.send(onStop),
    forget: (): void => {
      forget();
      stopping.forget();
    },
  };
}

/** Completions and dropped files, which are inserted at the cursor. */
function useInsertedText(
  props: CompletionSources & AttachmentApi,
  area: RefObject<HTMLTextAreaElement | null>,
  onText: (text: string) => void,
) {
  const [strangers, setStrangers] = useState<readonly string[]>([]);
  const [placed, setPlaced] = useState<{ readonly cursor: number }>();
  const put = (next: { readonly text: string; readonly cursor: number }): void => {
    onText(next.text);
    setPlaced(next);
  };
  const completing = useCompleting({ ...props, area, onPut: put });
  const mention = (path: string): void =>
    put(putInto(area.current?.value ?? '', cursorOf(area.current), toMention(path)));
  const attaching = useAttachments({
    attach: props.attach,
    detach: props.detach,
    onStored: mention,
    onRemoved: (path) => onText((area.current?.value ?? '').replace(`${toMention(path)} `, '')),
  });
  const drop = useFileDrop({
    onPath: (path) => {
      mention(path);
      setStrangers([]);
    },
    onForeignFiles: (files) => {
      if (props.attach) attaching.add(files);
      else setStrangers(files.map(({ name }) => name));
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per inserted text
  useLayoutEffect(() => {
    if (!placed) return;
    area.current?.focus();
    area.current?.setSelectionRange(placed.cursor, placed.cursor);
    completing.look();
  }, [placed]);
  return { completing, drop, strangers, attaching, forgetStrangers: () => setStrangers([]) };
}

/** The last cursor position, else the end. */
function cursorOf(area: HTMLTextAreaElement | null): { readonly start: number; readonly end: number } {
  const { value = '', selectionStart = 0, selectionEnd = 0 } = area ?? {};
  return selectionEnd === 0
    ? { start: value.length, end: value.length }
    : { start: selectionStart, end: selectionEnd };
}
