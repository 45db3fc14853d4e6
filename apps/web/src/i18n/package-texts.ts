/** Adds the English texts about packages, which are loaded with what shows packages; other languages load all their texts at once. */
import { i18n } from './i18n.ts';
import { packages } from './texts/en/packages.ts';

i18n.addResourceBundle('en', 'translation', packages, true);
