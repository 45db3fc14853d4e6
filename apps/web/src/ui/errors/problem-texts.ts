/**
 * Texts for a problem by its code: title and advice in the user's language. The message that came with the code is the reason;
 * it stays in English unless there is a translation with the same values.
 */
import { joinSentences } from '../../i18n/sentences.ts';
import type { en } from '../../i18n/texts/en/en.ts';
import { type Translation, useTranslation } from '../../i18n/use-translation.ts';
import { toShownText } from '../sanitize-text.ts';

export interface Problem {
  readonly code: string;
  readonly message?: string | undefined;
  readonly details?: Details | undefined;
}

type Details = Readonly<Record<string, unknown>>;

export interface ProblemTexts {
  readonly title: string;
  /** The title if another title comes first; undefined if the reason alone is enough. */
  readonly what: string | undefined;
  readonly why: string | undefined;
  /** Set if the reason is not in the user's language. */
  readonly whyLanguage: 'en' | undefined;
  readonly advice: string | undefined;
  /** There are texts for this code. */
  readonly isKnown: boolean;
}

export function useProblemTexts(problem: Problem): ProblemTexts {
  return toProblemTexts(problem, useTranslation());
}

export function toProblemTexts({ code, message, details }: Problem, translation: Translation): ProblemTexts {
  const { t, i18n } = translation;
  const known = toKnown(variantOf(code, details ?? {}), translation);
  const own = toTranslatedReason(known, details ?? {}, translation);
  const why = own ?? toShownText(message ?? '');
  const isEnglish = i18n.language === 'en';
  return {
    title: t(`problem.${known}.title`),
    what: known === 'unknown' || (isEnglish && why !== '') ? undefined : t(`problem.${known}.title`),
    why: why || undefined,
    whyLanguage: own === undefined && !isEnglish ? 'en' : undefined,
    advice: t(`problem.${known}.advice`) || undefined,
    isKnown: known !== 'unknown',
  };
}

/** One line, for places without room for more. */
export function toProblemLine({ what, why, advice }: ProblemTexts): string {
  return joinSentences(what, why ?? advice);
}

/** Splits a code with several causes, because each has another fix. */
function variantOf(code: string, { status, isBrokenOff }: Details): string {
  if (code === 'LLM_BAD_RESPONSE' && isBrokenOff === true) return 'LLM_BROKEN_OFF';
  if (code !== 'LLM_HTTP_ERROR' || typeof status !== 'number') return code;
  // Logs of earlier versions.
  if (status === 402) return 'LLM_OUT_OF_CREDIT';
  if (status === 404) return 'LLM_MODEL_NOT_FOUND';
  return status >= 500 || PASSING.has(status) ? 'LLM_PROVIDER_ERROR' : 'LLM_REQUEST_REJECTED';
}

const PASSING: ReadonlySet<number> = new Set([408, 409, 425]);

type Known = keyof typeof en.problem;

function toKnown(code: string, { i18n }: Translation): Known {
  const key = code.replaceAll('.', '_');
  return i18n.exists(`problem.${key}.title`) ? (key as Known) : 'unknown';
}

/** Undefined if there is no translation, or a value it needs is missing. */
function toTranslatedReason(known: Known, details: Details, { t, i18n }: Translation): string | undefined {
  if (!i18n.exists(`problem.${known}.why`)) return undefined;
  const key = `problem.${known as 'stopped'}.why` as const;
  const names = [...t(key, { skipInterpolation: true }).matchAll(/\{\{(\w+)\}\}/g)];
  return names.every(([, name = '']) => name in details)
    ? toShownText(t(key, { replace: details }))
    : undefined;
}
