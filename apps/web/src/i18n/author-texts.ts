/** Adds the English texts of the editor of packages, which are loaded with it; other languages load all their texts at once. */
import { i18n } from './i18n.ts';
import { author } from './texts/en/author.ts';

i18n.addResourceBundle('en', 'translation', author, true);
