/** A text of the command line in the language of the terminal. */
import type { Language } from '@crewagent/protocol/languages';
import { renderText, type TextParams } from '@crewagent/protocol/texts/render-text';
import type { KeyOf, Texts } from '@crewagent/protocol/texts/texts';
import { userLanguage } from '../../user-language.ts';
import { en } from './en.ts';
import { zhCN } from './zh-CN.ts';

const TEXTS: Readonly<Record<Language, Texts<typeof en>>> = { en, 'zh-CN': zhCN };

/** `say`, or the same in one language. */
export type Say = (key: KeyOf<typeof en>, params?: TextParams) => string;

/** Parameters are untrusted text: sanitize them. */
export function say(key: KeyOf<typeof en>, params?: TextParams, language = userLanguage()): string {
  return renderText(TEXTS[language], key, params);
}
