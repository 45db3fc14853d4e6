/** Adds the English texts of forks and comparisons, which are loaded with them; other languages load all their texts at once. */
import { i18n } from './i18n.ts';
import { forks } from './texts/en/forks.ts';

i18n.addResourceBundle('en', 'translation', forks, true);
