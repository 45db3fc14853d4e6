/** Adds the English texts of a replay, which are loaded with it; other languages load all their texts at once. */
import { i18n } from './i18n.ts';
import { replay } from './texts/en/replay.ts';

i18n.addResourceBundle('en', 'translation', replay, true);
