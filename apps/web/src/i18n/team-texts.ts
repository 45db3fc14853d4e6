/** Adds the English texts of a team server, which are loaded with its screens; other languages load all their texts at once. */
import { i18n } from './i18n.ts';
import { team } from './texts/en/team.ts';

i18n.addResourceBundle('en', 'translation', team, true);
