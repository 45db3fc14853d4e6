/**
 * What went wrong, in words a person can use. Faults are kept as they were thrown and put into words when they are shown, so
 * that they speak the language of that moment. What the server says is said as it is; where there is no server to say
 * anything, the browser has a sentence that helps nobody.
 */
import { ApiError } from '@crewagent/protocol/api/client';
import { ZodError } from '@crewagent/protocol/zod';
import { type Translation, useTranslation } from '../../i18n/use-translation.ts';
import { toShownLine } from '../sanitize-text.ts';
import { type Problem, type ProblemWords, toProblemLine, toProblemWords } from './problem-words.ts';

/** As it was thrown, or a sentence of our own. */
export type ErrorOrCode = Error | string;

export interface ErrorTexts extends ProblemWords {
  /** For those who ask: code, call, values. */
  readonly details: string | undefined;
}

const LONGEST_DETAILS = 2_000;

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

export function toErrorTexts(issue: ErrorOrCode, translation: Translation): ErrorTexts {
  const problem = toProblem(issue);
  const words = toProblemWords(problem, translation);
  return {
    ...words,
    title: words.isKnown ? words.title : translation.t('fault.title'),
    whyLanguage: problem.code === '' ? undefined : words.whyLanguage,
    details: problem.code === '' ? undefined : toDetails(problem.code, issue),
  };
}

/** Where there is room for a line only. */
export function toErrorLine(issue: ErrorOrCode, translation: Translation): string {
  return toShownLine(toProblemLine(toErrorTexts(issue, translation)));
}

export function useErrorLine(issue: ErrorOrCode | undefined): string | undefined {
  const translation = useTranslation();
  return issue === undefined ? undefined : toErrorLine(issue, translation);
}

/** Browsers throw a TypeError for it, as for mistakes in a program; only its sentence tells them apart. */
export function isNotReached(issue: unknown): boolean {
  return issue instanceof TypeError && NOT_REACHED.test(issue.message);
}

/** Chromium, Safari, Firefox, a body that breaks off, and our own word for a stream that does. */
const NOT_REACHED =
  /^(?:failed to fetch|load failed|networkerror when attempting|network ?error$|the connection has ended)/i;

/** What came without a code has a blank one. */
function toProblem(issue: ErrorOrCode): Problem {
  if (typeof issue === 'string') return { code: '', message: issue };
  if (isNotReached(issue)) return { code: 'NOT_REACHED' };
  if (issue instanceof ZodError) return { code: 'NOT_UNDERSTOOD' };
  const { message } = issue;
  if (!('code' in issue) || typeof issue.code !== 'string') return { code: '', message };
  return { code: NOT_UNDERSTOOD.has(issue.code) ? 'NOT_UNDERSTOOD' : issue.code, message };
}

/** Codes of the client for answers it cannot read. */
const NOT_UNDERSTOOD: ReadonlySet<string> = new Set(['HTTP_ERROR', 'STREAM_DAMAGED']);

function toDetails(code: string, issue: ErrorOrCode): string {
  const lines =
    issue instanceof ApiError
      ? [`${issue.code} · ${issue.status}`, issue.call, toValues(issue.details)]
      : [code, typeof issue === 'string' ? undefined : issue.message];
  return lines.filter(Boolean).join('\n').slice(0, LONGEST_DETAILS);
}

function toValues(details: ApiError['details']): string | undefined {
  return Object.keys(details).length === 0 ? undefined : JSON.stringify(details, undefined, 2);
}
