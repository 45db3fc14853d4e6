/** The form of a model: what was typed, and its issues until the next change. */
import { useState } from 'react';
import { type KeyOwner, needsKey } from './key-draft.ts';
import { type ModelDraft, type ParsedDraft, parseDraft } from './model-draft.ts';

export function useModelForm(toInitial: () => ModelDraft) {
  const [draft, setDraft] = useState(toInitial);
  const [secret, setSecret] = useState('');
  const [parsed, setParsed] = useState<ParsedDraft>();
  const [isKeyMissing, setKeyMissing] = useState(false);
  return {
    /** Validates the draft, and shows its issues. `savedName` is used if no name was typed. */
    parse: (otherNames: readonly string[], savedName = ''): ParsedDraft => {
      const result = parseDraft({ ...draft, name: draft.name || savedName }, otherNames);
      setParsed(result);
      return result;
    },
    /** Whether a key has to be typed first, which is then shown. `keyFor`: the owner of the stored key. */
    lacksKey: (keyFor: KeyOwner | undefined, hasVariable: boolean): boolean => {
      const isMissing = secret.trim() === '' && needsKey(draft, keyFor, hasVariable);
      setKeyMissing(isMissing);
      return isMissing;
    },
    /** Properties of `ModelFields`. */
    fields: {
      draft,
      issues: parsed?.ok === false ? parsed.issues : {},
      onChange: (next: ModelDraft): void => {
        setDraft(next);
        setParsed(undefined);
        setKeyMissing(false);
      },
      secret,
      onSecret: (next: string): void => {
        setSecret(next);
        setKeyMissing(false);
      },
      isKeyMissing,
    },
  };
}
