/**
 * What is being written, kept for this tab under a name: a reload and a look elsewhere take nothing away. Whoever shows a name
 * sees what becomes of it, also when words are accepted after the field they were typed in is gone.
 */
import { create } from 'zustand';

export interface Draft {
  readonly text: string;
  readonly change: (text: string) => void;
  /** These words were accepted. What was typed meanwhile stays. */
  readonly clear: (accepted: string) => void;
}

export function useDraft(name: string): Draft {
  const key = `crewagent.draft.${name}`;
  const text = useTexts((texts) => texts[key]) ?? readSnapshot(key);
  return {
    text,
    change: (next) => change(key, next),
    clear: (accepted) => {
      if ((useTexts.getState()[key] ?? readSnapshot(key)) === accepted) change(key, '');
    },
  };
}

/** Puts a text before what is being written. */
export function addToDraft(name: string, text: string): void {
  const key = `crewagent.draft.${name}`;
  const written = useTexts.getState()[key] ?? readSnapshot(key);
  change(key, [text, written].filter((part) => part.trim() !== '').join('\n\n'));
}

/** By key; what is not there yet is what was kept. */
const useTexts = create<Readonly<Record<string, string>>>(() => ({}));

function change(key: string, text: string): void {
  useTexts.setState({ [key]: text });
  keep(key, text);
}

function readSnapshot(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** A browser may forbid it, or have no room: then it lives as long as the page does. */
function keep(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // Nothing is lost but the keeping.
  }
}
