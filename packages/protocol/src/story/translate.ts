/** Texts about runs, of a language. Pure. */
import type { Language } from '../languages.ts';
import { calls } from '../texts/en/calls.ts';
import { problem } from '../texts/en/problems.ts';
import { story } from '../texts/en/story.ts';
import { renderText, type TextParams } from '../texts/render-text.ts';
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

export function translate(language: Language, key: StoryKey, params?: TextParams): string {
  return renderText(TEXTS[language], key, params);
}
