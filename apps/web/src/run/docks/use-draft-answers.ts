/** Draft answers of a question, stored for this tab: they survive a reload and switching screens. */

import type { Answers } from '@crewagent/protocol/answers';
import { isObject } from '@crewagent/protocol/json-object';
import { useState } from 'react';

interface DraftAnswers {
  readonly answers: Answers;
  readonly change: (answers: Answers) => void;
  /** Call when the answers were accepted. */
  readonly forget: () => void;
}

export function useDraftAnswers(name: string, first: () => Answers): DraftAnswers {
  const key = `crewagent.answers.${name}`;
  const [answers, setAnswers] = useState(() => ({ ...first(), ...readSnapshot(key) }));
  return {
    answers,
    change: (next) => {
      setAnswers(next);
      store(key, next);
    },
    forget: () => store(key, undefined),
  };
}

function readSnapshot(key: string): Answers {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? '{}');
    return isObject(stored) ? stored : {};
  } catch {
    return {};
  }
}

/** Storage may be forbidden or full; then drafts are not stored. */
function store(key: string, answers: Answers | undefined): void {
  try {
    if (answers === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(answers));
  } catch {
    // The answers are still in memory.
  }
}
