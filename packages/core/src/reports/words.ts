/** The words of an export, in the language of its reader. Pure. */
import type { Language } from '@crewagent/protocol/languages';
import { type StoryKey, translate } from '@crewagent/protocol/story/translate';
import { renderText, type TextParams } from '@crewagent/protocol/texts/render-text';
import type { KeyOf, Texts } from '@crewagent/protocol/texts/texts';
import { en } from './texts/en.ts';
import { zhCN } from './texts/zh-CN.ts';

const TEXTS: Readonly<Record<Language, Texts<typeof en>>> = { en, 'zh-CN': zhCN };

export interface Words {
  readonly language: Language;
  /** Words of exports only. */
  readonly t: (key: KeyOf<typeof en>, params?: TextParams) => string;
  /** Words that the page and the terminal use as well. */
  readonly shared: (key: StoryKey, params?: TextParams) => string;
}

export function wordsOf(language: Language): Words {
  return {
    language,
    t: (key, params) => renderText(TEXTS[language], key, params),
    shared: (key, params) => translate(language, key, params),
  };
}
