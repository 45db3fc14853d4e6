/** The gate's verdict on the draft, and conflicts that prevent saving. */
import type { StateVerdict } from '@crewagent/protocol/api/work-inspection';
import { ArrowRight, CircleCheck } from 'lucide-react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code/code-block.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { useErrorLine } from '../../../ui/errors/error-texts.ts';
import { Note } from '../../../ui/note.tsx';
import { toShownLine, toShownText } from '../../../ui/sanitize-text.ts';
import { type Refusal, toAllowedNext } from './state-document.ts';
import type { StateEditing } from './state-editing.ts';

interface StateNotesProps {
  readonly editing: StateEditing;
  readonly verdict: StateVerdict | undefined;
  readonly checkIssue: Error | undefined;
  readonly isRunning: boolean;
  readonly titleOf: (nodeId: string) => string;
  /** Replaces the current node in the text. */
  readonly onGoTo: (nodeId: string) => void;
}

export function StateNotes(props: StateNotesProps) {
  const { editing, verdict, checkIssue, isRunning, titleOf, onGoTo } = props;
  const { t } = useTranslation();
  const notChecked = useErrorLine(checkIssue);
  const { isChanged, isOutdated, issue, previous } = editing;
  const refused = issue?.kind === 'refused' && issue.text === editing.text ? issue.refusal : undefined;
  const refusal = refused ?? (verdict?.ok === false ? verdict.error : undefined);
  return (
    <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
      {isRunning && isChanged ? (
        <Note level="info" title={t('state.running')} advice={t('state.runningAdvice')} />
      ) : undefined}
      {isOutdated ? (
        <Note
          level="warning"
          title={t('state.outdated')}
          advice={t('state.outdatedAdvice')}
          actions={
            <Button size="sm" onClick={editing.reload}>
              {t('state.reload')}
            </Button>
          }
        />
      ) : undefined}
      {refusal && isChanged && !isOutdated ? <RejectionNote {...{ refusal, titleOf, onGoTo }} /> : undefined}
      {verdict?.ok && isChanged && !isOutdated ? <Allowed verdict={verdict} titleOf={titleOf} /> : undefined}
      {issue?.kind === 'busy' ? (
        <Note level="warning" title={t('state.running')} advice={t('state.runningAdvice')} />
      ) : undefined}
      {issue?.kind === 'other' ? (
        <ErrorNote issue={issue.error} title={t('state.notSaved')} besides={t('state.kept')} />
      ) : undefined}
      {notChecked === undefined ? undefined : (
        <p className="text-sm text-ink-faint wrap-anywhere">
          {t('state.notChecked')} {notChecked}
        </p>
      )}
      {previous === undefined ? undefined : (
        <Note
          level="info"
          title={t('state.aside')}
          actions={
            <>
              <Button size="sm" onClick={editing.putBack}>
                {t('state.putBack')}
              </Button>
              <Button size="sm" kind="quiet" onClick={editing.discardPrevious}>
                {t('state.forgetAside')}
              </Button>
            </>
          }
        >
          <CodeBlock text={previous} label={t('state.aside')} className="mt-1" />
        </Note>
      )}
    </div>
  );
}

interface RejectionNoteProps {
  readonly refusal: Refusal;
  readonly titleOf: (nodeId: string) => string;
  readonly onGoTo: (nodeId: string) => void;
}

/** The message a model would get, and the allowed transitions. */
function RejectionNote({ refusal, titleOf, onGoTo }: RejectionNoteProps) {
  const { t } = useTranslation();
  if (refusal.code === 'STATE_CHANGE_REQUIRES_CONFIRMATION')
    return <Note level="info" title={t('state.complete')} advice={t('state.completeAdvice')} />;
  const ways = refusal.code === 'E_INVALID_TRANSITION' ? toAllowedNext(refusal) : [];
  return (
    <Note
      level="warning"
      title={t('state.refused')}
      details={{ label: t('text.code'), text: refusal.code }}
      actions={
        ways.length === 0
          ? undefined
          : ways.map(({ to, label }) => (
              <Button key={`${to} ${label}`} size="sm" onClick={() => onGoTo(to)}>
                {t('state.goTo', { node: toShownLine(titleOf(to)), label: toShownLine(label) })}
              </Button>
            ))
      }
    >
      {toShownText(refusal.message)}
    </Note>
  );
}

interface AllowedProps {
  readonly verdict: Extract<StateVerdict, { ok: true }>;
  readonly titleOf: (nodeId: string) => string;
}

function Allowed({ verdict: { from, to, notes }, titleOf }: AllowedProps) {
  const { t } = useTranslation();
  return (
    <div className="text-sm text-ink-soft">
      <p className="flex flex-wrap items-center gap-1.5">
        <CircleCheck aria-hidden="true" className="size-3.5 shrink-0 text-ok" />
        {t('state.canSave')}
        {from === to ? undefined : (
          <span className="flex min-w-0 flex-wrap items-center gap-1.5 font-medium text-ink">
            <bdi className="wrap-anywhere">{toShownLine(titleOf(from))}</bdi>
            <ArrowRight aria-label={t('move.to')} className="size-3.5 shrink-0 text-ink-faint" />
            <bdi className="wrap-anywhere">{toShownLine(titleOf(to))}</bdi>
          </span>
        )}
      </p>
      {notes.map((note) => (
        <p key={note} className="ps-5 text-ink-faint wrap-anywhere">
          {toShownText(note)}
        </p>
      ))}
    </div>
  );
}
