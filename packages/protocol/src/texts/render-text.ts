/** Texts in the notation of the page's: `{{name}}` is a parameter, `_one` and `_other` are the forms of a text with a `count`. Pure. */

export type TextParams = Readonly<Record<string, string | number>>;

/** The text with this path in a table of texts; the path itself, if there is none. */
export function renderText(texts: object, key: string, params: TextParams = {}): string {
  const { count } = params;
  // A language without a singular form has no `_one`.
  const forms = count === undefined ? [''] : count === 1 ? ['_one', '_other', ''] : ['_other', ''];
  const [text = key] = forms.flatMap((form) => findText(texts, `${key}${form}`) ?? []);
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(params[name] ?? ''));
}

function findText(texts: object, key: string): string | undefined {
  let found: unknown = texts;
  for (const part of key.split('.')) found = (found as Record<string, unknown> | undefined)?.[part];
  return typeof found === 'string' ? found : undefined;
}
