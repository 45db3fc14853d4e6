/** The language of the terminal: that of the system, if there are texts for it. */
import { findUserLanguage } from '@crewagent/core';
import { detectLanguage, type Language } from '@crewagent/protocol/languages';
import { hostProcess } from './host-process.ts';

export function userLanguage(): Language {
  return detectLanguage([findUserLanguage(hostProcess().env) ?? 'en']);
}
