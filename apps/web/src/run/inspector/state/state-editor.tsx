/** Editor of the state document: validated by the gate while typing, and saved through it. */
import type { StateVerdict } from '@crewagent/protocol/api/works-inspector';
import { ArrowRight, CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { type LoadedState, useStateDocument } from '../../../api/inspector-queries.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code/code-block.tsx';
import { CodeEditor } from '../../../ui/code/code-editor.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { useErrorLine } from '../../../ui/errors/error-texts.ts';
import { Note } from '../../../ui/note.tsx';
import { AlertDialog } from '../../../ui/overlays/alert-dialog.tsx';
import { toShownLine, toShownText } from '../../../ui/sanitize-text.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { nodeTitle } from '../../shown-names.ts';
import type { PanelProps } from '../use-inspected.ts';
import { type Refusal, toAllowedNext, toFindings, withCurrentNode } from './state-document.ts';
import { useStateCheck, useStateEditing } from './state-editing.ts';

export function StateEditor({ view }: Pick<PanelProps, 'view'>) {
  const { data, error } = useStateDocument(view.runId, view.state);
  if (data) return <OpenEditor view={view} latest={data} />;
  return error ? <ErrorNote issue={error} /> : <Skeleton className="h-72" />;
}

interface OpenEditorProps extends Pick<PanelProps, 'view'> {
  readonly latest: LoadedState;
}

function OpenEditor({ view, latest }: OpenEditorProps) {
  const { t } = useTranslation();
  const { runId } = view;
  const [asks, setAsks] = useState(false);
  const editing = useStateEditing(runId, latest);
  const { text, isChanged, isOutdated, isSaving, change, save, discard } = editing;
  const { verdict, issue } = useStateCheck(runId, isChanged ? text : undefined);
  const refusal = verdict?.ok === false ? verdict.error : undefined;
  const needsConsent = refusal?.code === 'STATE_CHANGE_REQUIRES_CONFIRMATION';
  const isRunning = view.status.kind === 'running';
  const isBroken = refusal !== undefined && !needsConsent;
  const canSave = isChanged && !isRunning && !isOutdated && !isBroken;
  const trySave = (): void => {
    if (!canSave) return;
    if (needsConsent || view.status.kind === 'completed') setAsks(true);
    else save(false);
  };
  return (
    <section aria-label={t('state.document')} className="flex flex-col gap-2">
      <h3 className="text-xs font-medium text-ink-faint">{t('state.document')}</h3>
      <CodeEditor
        label={t('state.document')}
        value={text}
        language="markdown"
        onChange={change}
        onSave={trySave}
        diagnostics={refusal ? toFindings(refusal, text) : NO_FINDINGS}
        className="h-80 rounded-md border"
      />
      <StateNotes
        view={view}
        editing={editing}
        verdict={verdict}
        checkIssue={issue}
        onGoTo={(nodeId) => change(withCurrentNode(text, nodeId))}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" isBusy={isSaving} disabled={!canSave} onClick={trySave}>
          {t('action.save')}
        </Button>
        {isChanged ? (
          <Button disabled={isSaving} onClick={discard}>
            {t('state.discard')}
          </Button>
        ) : undefined}
      </div>
      <AlertDialog
        isOpen={asks}
        title={t('state.consentTitle')}
        confirmLabel={t('state.consentConfirm')}
        onCancel={() => setAsks(false)}
        onConfirm={() => {
          setAsks(false);
          save(true);
        }}
      >
        {t('state.consentText')}
      </AlertDialog>
    </section>
  );
}

const NO_FINDINGS: ReturnType<typeof toFindings> = [];

interface StateNotesProps extends Pick<PanelProps, 'view'> {
  readonly editing: ReturnType<typeof useStateEditing>;
  readonly verdict: StateVerdict | undefined;
  readonly checkIssue: Error | undefined;
  /** Replaces the current node in the text. */
  readonly onGoTo: (nodeId: string) => void;
}

/** The gate's verdict on the draft, and conflicts that prevent saving. */
function StateNotes(props: StateNotesProps) {
  const { view, editing, verdict, checkIssue, onGoTo } = props;
  const { t } = useTranslation();
  const notChecked = useErrorLine(checkIssue);
  const { isChanged, isOutdated, issue, previous } = editing;
  const refused = issue?.kind === 'refused' && issue.text === editing.text ? issue.refusal : undefined;
  const refusal = refused ?? (verdict?.ok === false ? verdict.error : undefined);
  return (
    <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
      {view.status.kind === 'running' && isChanged ? (
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
      {refusal && isChanged && !isOutdated ? <RejectionNote {...{ view, refusal, onGoTo }} /> : undefined}
      {verdict?.ok && isChanged && !isOutdated ? (
        <div className="text-sm text-ink-soft">
          <p className="flex flex-wrap items-center gap-1.5">
            <CircleCheck className="size-3.5 shrink-0 text-ok" />
            {t('state.canSave')}
            {verdict.from === verdict.to ? undefined : (
              <span className="flex min-w-0 flex-wrap items-center gap-1.5 font-medium text-ink">
                <bdi className="wrap-anywhere">{toShownLine(nodeTitle(view, verdict.from))}</bdi>
                <ArrowRight aria-label={t('move.to')} className="size-3.5 shrink-0 text-ink-faint" />
                <bdi className="wrap-anywhere">{toShownLine(nodeTitle(view, verdict.to))}</bdi>
              </span>
            )}
          </p>
          {verdict.notes.map((note) => (
            <p key={note} className="ps-5 text-ink-faint wrap-anywhere">
              {toShownText(note)}
            </p>
          ))}
        </div>
      ) : undefined}
      {issue?.kind === 'busy' ? (
        <Note level="warning" title={t('state.running')} advice={t('state.runningAdvice')} />
      ) : undefined}
      {issue?.kind === 'other' ? (
        <ErrorNote issue={issue.error} title={t('state.notSaved')} besides={t('composer.kept')} />
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

interface RejectionNoteProps extends Pick<StateNotesProps, 'view' | 'onGoTo'> {
  readonly refusal: Refusal;
}

/** The message a model would get, and the allowed transitions. */
function RejectionNote({ view, refusal, onGoTo }: RejectionNoteProps) {
  const { t } = useTranslation();
  if (refusal.code === 'STATE_CHANGE_REQUIRES_CONFIRMATION')
    return <Note level="info" title={t('state.complete')} advice={t('state.completeAdvice')} />;
  const ways = refusal.code === 'E_INVALID_TRANSITION' ? toAllowedNext(refusal) : [];
  return (
    <Note
      level="warning"
      title={t('move.refused')}
      details={{ label: t('text.code'), text: refusal.code }}
      actions={
        ways.length === 0
          ? undefined
          : ways.map(({ to, label }) => (
              <Button key={`${to} ${label}`} size="sm" onClick={() => onGoTo(to)}>
                {t('state.goTo', { node: toShownLine(nodeTitle(view, to)), label: toShownLine(label) })}
              </Button>
            ))
      }
    >
      {toShownText(refusal.message)}
    </Note>
  );
}
