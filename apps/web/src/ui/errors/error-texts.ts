/**
 * Turns errors into texts for people. Errors are stored as thrown and translated when rendered, so that they follow the current
 * language. A message from the server is shown as it is; the browser's own network errors are replaced, because they help
 * nobody.
 */
import { ApiError } from '@crewagent/protocol/api/client';
import { describeProblem, type Problem } from '@crewagent/protocol/story/describe-problem';
import { joinSentences } from '@crewagent/protocol/texts/texts';
import * as z from '@crewagent/protocol/zod';
import { type Translation, useTranslation } from '../../i18n/use-translation.ts';
import { toShownLine, toShownText } from '../sanitize-text.ts';

/** An error as thrown, or a code of our own. */
export type ErrorOrCode = Error | string;

const MAX_DETAILS_CHARS = 2_000;

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

export function toErrorTexts(issue: ErrorOrCode, translation: Translation) {
  const problem = toProblem(issue);
  const texts = toProblemTexts(problem, translation);
  return {
    ...texts,
    title: texts.isKnown ? texts.title : translation.t('error.title'),
    whyLanguage: problem.code === '' ? undefined : texts.whyLanguage,
    /** Code, call and values, for support. */
    details: problem.code === '' ? undefined : toDetails(problem.code, issue),
  };
}

/** For places with room for one line. */
export function toErrorLine(issue: ErrorOrCode, translation: Translation): string {
  return toShownLine(toProblemLine(toErrorTexts(issue, translation)));
}

export function useErrorLine(issue: ErrorOrCode | undefined): string | undefined {
  const translation = useTranslation();
  return issue === undefined ? undefined : toErrorLine(issue, translation);
}

/** Browsers throw a TypeError for failed requests as well as for programming errors; only the message distinguishes them. */
export function isNotReached(issue: unknown): boolean {
  return issue instanceof TypeError && NOT_REACHED.test(issue.message);
}

/** Chromium, Safari, Firefox, an interrupted body, and our own message for an interrupted stream. */
const NOT_REACHED =
  /^(?:failed to fetch|load failed|networkerror when attempting|network ?error$|the connection has ended)/i;

/** Errors without a code get an empty one. */
function toProblem(issue: ErrorOrCode): Problem {
  if (typeof issue === 'string') return { code: '', message: issue };
  if (isNotReached(issue)) return { code: 'NOT_REACHED' };
  if (issue instanceof z.core.$ZodError) return { code: 'NOT_UNDERSTOOD' };
  const { message } = issue;
  if (!('code' in issue) || typeof issue.code !== 'string') return { code: '', message };
  return { code: NOT_UNDERSTOOD.has(issue.code) ? 'NOT_UNDERSTOOD' : issue.code, message };
}

/** Codes of the client for malformed responses. */
const NOT_UNDERSTOOD: ReadonlySet<string> = new Set(['HTTP_ERROR', 'STREAM_DAMAGED']);

function toDetails(code: string, issue: ErrorOrCode): string {
  const lines =
    issue instanceof ApiError
      ? [`${issue.code} · ${issue.status}`, issue.call, toValues(issue.details)]
      : [code, typeof issue === 'string' ? undefined : issue.message];
  return lines.filter(Boolean).join('\n').slice(0, MAX_DETAILS_CHARS);
}

function toValues(details: ApiError['details']): string | undefined {
  return Object.keys(details).length === 0 ? undefined : JSON.stringify(details, undefined, 2);
}

/**
 * Texts for a problem by its code: title and advice in the user's language. The message that came with the code is the reason;
 * it stays in English unless there is a translation with the same values.
 */
export function useProblemTexts(problem: Problem) {
  return toProblemTexts(problem, useTranslation());
}

export function toProblemTexts(problem: Problem, { t, i18n }: Translation) {
  const { title, why: own, advice, isKnown } = describeProblem(problem);
  const why = toShownText(own ? t(own.key, own.params) : (problem.message ?? ''));
  const isEnglish = i18n.language === 'en';
  return {
    title: t(title),
    /** The title if another title comes first; undefined if the reason alone is enough. */
    what: !isKnown || (isEnglish && why !== '') ? undefined : t(title),
    why: why || undefined,
    /** Set if the reason is not in the user's language. */
    whyLanguage: own === undefined && !isEnglish ? ('en' as const) : undefined,
    advice: t(advice) || undefined,
    /** There are texts for this code. */
    isKnown,
  };
}

/** One line, for places without room for more. */
export function toProblemLine({
  what,
  why,
  advice,
}: Pick<ReturnType<typeof toProblemTexts>, 'what' | 'why' | 'advice'>): string {
  return joinSentences(what, why ?? advice);
}
