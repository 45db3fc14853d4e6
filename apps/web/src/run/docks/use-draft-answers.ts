/** What is filled in for a question, kept for this tab under its name: a reload and a look elsewhere take nothing away. */
import type { Answers } from '@crewagent/protocol/answers';
import { useState } from 'react';
import { isObject } from './first-answer.ts';

interface DraftAnswers {
  readonly answers: Answers;
  readonly change: (answers: Answers) => void;
  /** They were accepted. */
  readonly forget: () => void;
}

export function useDraftAnswers(name: string, first: () => Answers): DraftAnswers {
  const key = `crewagent.answers.${name}`;
  const [answers, setAnswers] = useState(() => ({ ...first(), ...readSnapshot(key) }));
  return {
    answers,
    change: (next) => {
      setAnswers(next);
      keep(key, next);
    },
    forget: () => keep(key, undefined),
  };
}

function readSnapshot(key: string): Answers {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? '{}');
    return isObject(kept) ? kept : {};
  } catch {
    return {};
  }
}

/** A browser may forbid it, or have no room: then they are not kept. */
function keep(key: string, answers: Answers | undefined): void {
  try {
    if (answers === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(answers));
  } catch {
    // Nothing is lost but the keeping.
  }
}
