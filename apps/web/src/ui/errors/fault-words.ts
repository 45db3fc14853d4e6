/**
 * What went wrong, in words a person can use. Faults are kept as they were thrown and put into words when they are shown, so
 * that they speak the language of that moment. What the server says is said as it is; where there is no server to say
 * anything, the browser has a sentence that helps nobody.
 */
import { ApiError } from '@crewagent/protocol/api/client';
import { ZodError } from '@crewagent/protocol/zod';
import { type Translation, useTranslation } from '../../i18n/use-translation.ts';
import { toShownLine } from '../foreign-text.ts';
import { type Problem, type ProblemWords, toProblemLine, toProblemWords } from './problem-words.ts';

/** As it was thrown, or a sentence of our own. */
export type Fault = Error | string;

export interface FaultWords extends ProblemWords {
  /** For those who ask: code, call, values. */
  readonly details: string | undefined;
}

const LONGEST_DETAILS = 2_000;

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

export function toFaultWords(fault: Fault, translation: Translation): FaultWords {
  const problem = toProblem(fault);
  const words = toProblemWords(problem, translation);
  return {
    ...words,
    title: words.isKnown ? words.title : translation.t('fault.title'),
    whyLanguage: problem.code === '' ? undefined : words.whyLanguage,
    details: problem.code === '' ? undefined : toDetails(problem.code, fault),
  };
}

/** Where there is room for a line only. */
export function toFaultLine(fault: Fault, translation: Translation): string {
  return toShownLine(toProblemLine(toFaultWords(fault, translation)));
}

export function useFaultLine(fault: Fault | undefined): string | undefined {
  const translation = useTranslation();
  return fault === undefined ? undefined : toFaultLine(fault, translation);
}

/** Browsers throw a TypeError for it, as for mistakes in a program; only its sentence tells them apart. */
export function isNotReached(fault: unknown): boolean {
  return fault instanceof TypeError && NOT_REACHED.test(fault.message);
}

/** Chromium, Safari, Firefox, a body that breaks off, and our own word for a stream that does. */
const NOT_REACHED =
  /^(?:failed to fetch|load failed|networkerror when attempting|network ?error$|the connection has ended)/i;

/** What came without a code has a blank one. */
function toProblem(fault: Fault): Problem {
  if (typeof fault === 'string') return { code: '', message: fault };
  if (isNotReached(fault)) return { code: 'NOT_REACHED' };
  if (fault instanceof ZodError) return { code: 'NOT_UNDERSTOOD' };
  const { message } = fault;
  if (!('code' in fault) || typeof fault.code !== 'string') return { code: '', message };
  return { code: NOT_UNDERSTOOD.has(fault.code) ? 'NOT_UNDERSTOOD' : fault.code, message };
}

/** Codes of the client for answers it cannot read. */
const NOT_UNDERSTOOD: ReadonlySet<string> = new Set(['HTTP_ERROR', 'STREAM_DAMAGED']);

function toDetails(code: string, fault: Fault): string {
  const lines =
    fault instanceof ApiError
      ? [`${fault.code} · ${fault.status}`, fault.call, toValues(fault.details)]
      : [code, typeof fault === 'string' ? undefined : fault.message];
  return lines.filter(Boolean).join('\n').slice(0, LONGEST_DETAILS);
}

function toValues(details: ApiError['details']): string | undefined {
  return Object.keys(details).length === 0 ? undefined : JSON.stringify(details, undefined, 2);
}
