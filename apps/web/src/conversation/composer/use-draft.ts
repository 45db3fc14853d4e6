/**
 * A draft, stored for this tab under a name: it survives a reload and switching screens. All components that use the name see
 * its changes, also when a message is accepted after its field was unmounted.
 */
import { create } from 'zustand';

export function useDraft(name: string) {
  const key = `crewagent.draft.${name}`;
  const text = useTexts((texts) => texts[key]) ?? readSnapshot(key);
  return {
    text,
    change: (next: string): void => change(key, next),
    /** Removes accepted text. What was typed meanwhile stays. */
    clear: (accepted: string): void => {
      if ((useTexts.getState()[key] ?? readSnapshot(key)) === accepted) change(key, '');
    },
  };
}

/** Puts a text before the draft. */
export function addToDraft(name: string, text: string): void {
  const key = `crewagent.draft.${name}`;
  const written = useTexts.getState()[key] ?? readSnapshot(key);
  change(key, [text, written].filter((part) => part.trim() !== '').join('\n\n'));
}

/** By key; a missing entry is read from storage. */
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

/** Storage may be forbidden or full; then the draft lives in memory. */
function keep(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // The draft is still in memory.
  }
}
