/** Adds the English texts of stale results and of what a resume does, which are loaded with them. */
import { fileUse } from '@crewagent/protocol/texts/en/file-use';
import { i18n } from './i18n.ts';

i18n.addResourceBundle('en', 'translation', fileUse, true);
