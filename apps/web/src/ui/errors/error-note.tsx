/** What did not work, where it was tried: what it is, why, what to do now, and the code for those who ask. */
import type { ReactNode } from 'react';
import { inARow } from '../../i18n/sentences.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Note, type NoteLevel } from '../note.tsx';
import { type ErrorOrCode, toErrorTexts } from './error-texts.ts';

interface ErrorNoteProps {
  readonly issue: ErrorOrCode | null | undefined;
  /** What was not done, where that comes before what went wrong. */
  readonly title?: string;
  /** What to do now, in place of what is usual for the fault. */
  readonly advice?: string;
  /** What to know besides. */
  readonly besides?: string;
  readonly actions?: ReactNode;
  readonly level?: NoteLevel;
}

export function ErrorNote({ issue, title, level = 'error', actions, ...texts }: ErrorNoteProps) {
  const translation = useTranslation();
  if (issue === undefined || issue === null) return undefined;
  const words = toErrorTexts(issue, translation);
  const { why, whyLanguage, details } = words;
  const what = title === undefined ? undefined : words.what;
  return (
    <Note
      level={level}
      title={title ?? words.title}
      advice={inARow(texts.advice ?? words.advice, texts.besides)}
      actions={actions}
      details={details === undefined ? undefined : { label: translation.t('fault.details'), text: details }}
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
