/** What people were promised: everything that a call accepted, for the invariants. */
import type { WorkStory } from '@crewagent/protocol/story/work-story';

export interface Promised {
  readonly workId: string;
  readonly what: 'answer' | 'decision' | 'input';
  /** Occurs in the log of the Work. */
  readonly text: string;
}

export interface WatchedWork {
  readonly workId: string;
  view: WorkStory;
  stop(): void;
}

export class Ledger {
  readonly works = new Map<string, { readonly model: string; removal: 'none' | 'requested' | 'done' }>();
  readonly promised: Promised[] = [];
  /** Names of settings that other processes have changed. */
  readonly settings = new Set<string>();
  readonly watched = new Set<WatchedWork>();
  /** Calls without an answer. */
  readonly open = new Map<object, string>();

  /** Starts a call. One that fails promises nothing: it may have had its effect, or not. */
  call(name: string, run: () => Promise<unknown>): void {
    const token = {};
    this.open.set(token, name);
    void ignoreExpected(run()).finally(() => this.open.delete(token));
  }
}

/** Lets only bugs through: not what the API refuses, what a person can fix, or a broken connection. */
export async function ignoreExpected(promise: Promise<unknown>): Promise<void> {
  try {
    await promise;
  } catch (error) {
    if (!isRefusal(error) && !isBroken(error)) throw error;
  }
}

/** The call had no effect, for a reason that has a code. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code !== 'INTERNAL';
}

/** The connection or the process has ended: the call had its effect, or not. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError && /^(?:fetch failed|terminated)$/.test(error.message);
}
