/** Adds the English texts of the overview, which are loaded with it; other languages load all their texts at once. */
import { i18n } from './i18n.ts';
import { overview } from './texts/en/overview.ts';

i18n.addResourceBundle('en', 'translation', overview, true);
