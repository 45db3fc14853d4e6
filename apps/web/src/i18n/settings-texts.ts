/** Adds the English texts of settings, their fields and models, which are loaded with the forms; other languages load all their texts at once. */
import { i18n } from './i18n.ts';
import { fields } from './texts/en/fields.ts';
import { models } from './texts/en/models.ts';
import { settings } from './texts/en/settings.ts';

i18n.addResourceBundle('en', 'translation', { ...settings, ...fields, ...models }, true);
