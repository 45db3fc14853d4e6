/**
 * Renders a text of a language, in the notation of the page's texts: `{{name}}` is a parameter, `_one` and `_other` are the forms of a
 * text with a `count`. Pure.
 */
import type { Language } from '../languages.ts';
import { calls } from '../texts/en/calls.ts';
import { problem } from '../texts/en/problems.ts';
import { story } from '../texts/en/story.ts';
import type { KeyOf, Texts } from '../texts/texts.ts';
import { calls as zhCalls } from '../texts/zh-CN/calls.ts';
import { problem as zhProblem } from '../texts/zh-CN/problems.ts';
import { story as zhStory } from '../texts/zh-CN/story.ts';

const en = { ...story, ...calls, problem };
const TEXTS: Readonly<Record<Language, Texts<typeof en>>> = {
  en,
  'zh-CN': { ...zhStory, ...zhCalls, problem: zhProblem },
};

export type StoryKey = KeyOf<typeof en>;
export type TextParams = Readonly<Record<string, string | number>>;

export function translate(language: Language, key: StoryKey, params?: TextParams): string {
  return renderText(TEXTS[language], key, params);
}

/** The text with this path in a table of texts; the path itself, if there is none. */
export function renderText(texts: object, key: string, params: TextParams = {}): string {
  const { count } = params;
  // A language without a singular form has no `_one`.
  const forms = count === undefined ? [''] : count === 1 ? ['_one', '_other', ''] : ['_other', ''];
  const [text = key] = forms.flatMap((form) => findText(texts, `${key}${form}`) ?? []);
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(params[name] ?? ''));
}

function findText(texts: object, key: string): string | undefined {
  let found: unknown = texts;
  for (const part of key.split('.')) found = (found as Record<string, unknown> | undefined)?.[part];
  return typeof found === 'string' ? found : undefined;
}
