/** Adds the English texts of the panels for context and state, which are loaded with them; other languages load all their texts at once. */
import { i18n } from './i18n.ts';
import { context } from './texts/en/context.ts';

i18n.addResourceBundle('en', 'translation', context, true);
