/** Adds the English texts of runs in one file, which are loaded with them; other languages load all their texts at once. */
import { i18n } from './i18n.ts';
import { bundles } from './texts/en/bundles.ts';

i18n.addResourceBundle('en', 'translation', bundles, true);
