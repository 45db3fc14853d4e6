/** A problem by its code, such as a stop or a notice: title, reason and advice as texts. Pure. Parameters are untrusted text. */
import type { Language } from '../languages.ts';
import { type ProblemTexts, problem } from '../texts/en/problems.ts';
import type { TextParams } from '../texts/render-text.ts';
import { joinSentences } from '../texts/texts.ts';
import { translate } from './translate.ts';

export interface Problem {
  readonly code: string;
  /** In English, from the log. */
  readonly message?: string | undefined;
  readonly details?: Details | undefined;
}

type Details = Readonly<Record<string, unknown>>;

/** `why` is undefined if there is no text, or a value it needs is missing: then the message is the reason. */
export function describeProblem({ code, details = {} }: Problem) {
  const name = toKnown(variantOf(code, details));
  const { why: text }: ProblemTexts = problem[name];
  const values = [...(text ?? '').matchAll(/\{\{(\w+)\}\}/g)].map(([, value = '']) => value);
  const hasReason = text !== undefined && values.every((value) => value in details);
  const params: TextParams = Object.fromEntries(values.map((value) => [value, String(details[value])]));
  return {
    title: `problem.${name}.title`,
    why: hasReason ? ({ key: `problem.${name as 'stopped'}.why`, params } as const) : undefined,
    advice: `problem.${name}.advice`,
    /** There are texts for this code. */
    isKnown: name !== 'unknown',
  } as const;
}

/** One line: the message, and in other languages than English the title before it. */
export function toProblemLine(language: Language, { message = '', ...named }: Problem): string {
  const { title, why, isKnown } = describeProblem(named);
  if (language === 'en' && message !== '') return message;
  const reason = why ? translate(language, why.key, why.params) : message;
  return joinSentences(isKnown || reason === '' ? translate(language, title) : undefined, reason);
}

/** Splits a code with several causes, because each has another fix. */
function variantOf(code: string, { status, isBrokenOff, isModelUnknown }: Details): string {
  if (code === 'LLM_BAD_RESPONSE' && isBrokenOff === true) return 'LLM_BROKEN_OFF';
  if (code === 'LLM_HTTP_ERROR' && isModelUnknown === true) return 'LLM_MODEL_NOT_FOUND';
  if (code !== 'LLM_HTTP_ERROR' || typeof status !== 'number') return code;
  // Logs of earlier versions.
  if (status === 402) return 'LLM_OUT_OF_CREDIT';
  if (status === 404) return 'LLM_ADDRESS_NOT_FOUND';
  return status >= 500 || PASSING.has(status) ? 'LLM_PROVIDER_ERROR' : 'LLM_REQUEST_REJECTED';
}

const PASSING: ReadonlySet<number> = new Set([408, 409, 425]);

function toKnown(code: string): keyof typeof problem {
  const name = code.replaceAll('.', '_');
  return Object.hasOwn(problem, name) ? (name as keyof typeof problem) : 'unknown';
}
