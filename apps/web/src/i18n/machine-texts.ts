/** Adds the English texts of settings of this machine, which are loaded with these settings; other languages load all their texts at once. */
import { i18n } from './i18n.ts';
import { machine } from './texts/en/machine.ts';

i18n.addResourceBundle('en', 'translation', machine, true);
