/**
 * The active mutant of this process. The test runner switches it (`mutant-runner.mjs`); any other process, such as a child process
 * of a test, reads it once and records the mutants it reaches.
 */
import { appendFileSync, readFileSync } from 'node:fs';

const state = globalThis.__crewagentMutants ?? asChild();
globalThis.__crewagentMutants = state;

export function isActive(id) {
  if (!state.hits.has(id)) {
    state.hits.add(id);
    state.onHit?.(id);
  }
  return state.active === id;
}

function asChild() {
  const base = 'FOLDER';
  const active = readFileSync(`${base}/active`, 'utf8');
  const onHit = (id) => {
    try {
      appendFileSync(`${base}/child-hits`, `${id}\n`);
    } catch {
      // A process of another user cannot write the file.
    }
  };
  return { active: Number(active), hits: new Set(), onHit: active === 'coverage' ? onHit : undefined };
}
