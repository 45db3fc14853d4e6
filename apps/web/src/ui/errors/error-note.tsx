/** An error where it happened: what failed, why, what to do, and the code behind a fold. */

import { joinSentences } from '@crewagent/protocol/texts/texts';
import type { ReactNode } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Note, type NoteLevel } from '../note.tsx';
import { type ErrorOrCode, toErrorTexts, useErrorLine } from './error-texts.ts';

interface ErrorNoteProps {
  readonly issue: ErrorOrCode | null | undefined;
  /** Which action failed, if that comes before the error itself. */
  readonly title?: string;
  /** What to do now, instead of the default advice for the error. */
  readonly advice?: string;
  /** Additional information. */
  readonly besides?: string;
  readonly actions?: ReactNode;
  readonly level?: NoteLevel;
}

export function ErrorNote({ issue, title, level = 'error', actions, ...texts }: ErrorNoteProps) {
  const translation = useTranslation();
  if (issue === undefined || issue === null) return undefined;
  const problem = toErrorTexts(issue, translation);
  const { why, whyLanguage, details } = problem;
  const what = title === undefined ? undefined : problem.what;
  return (
    <Note
      level={level}
      title={title ?? problem.title}
      advice={joinSentences(texts.advice ?? problem.advice, texts.besides)}
      actions={actions}
      details={details === undefined ? undefined : { label: translation.t('error.details'), text: details }}
    >
      {(what ?? why) === undefined ? undefined : (
        <>
          {what === undefined ? undefined : <p>{what}</p>}
          {why === undefined ? undefined : <p lang={whyLanguage}>{why}</p>}
        </>
      )}
    </Note>
  );
}

/** An error next to the control that caused it, in one line. */
export function ErrorLine({ issue }: { readonly issue: ErrorOrCode | undefined }) {
  const line = useErrorLine(issue);
  if (line === undefined) return undefined;
  return (
    <span role="alert" className="max-w-60 truncate text-sm text-bad" title={line}>
      {line}
    </span>
  );
}
