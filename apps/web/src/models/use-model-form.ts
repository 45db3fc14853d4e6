/** The form of a model: what was typed, and its issues until the next change. */
import { useState } from 'react';
import { type ModelDraft, type ParsedDraft, parseDraft } from './model-draft.ts';

export function useModelForm(toInitial: () => ModelDraft) {
  const [draft, setDraft] = useState(toInitial);
  const [secret, setSecret] = useState('');
  const [parsed, setParsed] = useState<ParsedDraft>();
  return {
    /** Validates the draft, and shows its issues. `savedName` is used if no name was typed. */
    parse: (otherNames: readonly string[], savedName = ''): ParsedDraft => {
      const result = parseDraft({ ...draft, name: draft.name || savedName }, otherNames);
      setParsed(result);
      return result;
    },
    /** Properties of `ModelFields`. */
    fields: {
      draft,
      issues: parsed?.ok === false ? parsed.issues : {},
      onChange: (next: ModelDraft): void => {
        setDraft(next);
        setParsed(undefined);
      },
      secret,
      onSecret: setSecret,
    },
  };
}
