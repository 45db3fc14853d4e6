/** Skips tests that need a sandbox, with one line that says why. */
import { findSandbox } from '../processes/sandbox.ts';

const { state } = await findSandbox();

export const hasSandbox = state.isIsolating;

if (!hasSandbox) console.warn(`Tests of the sandbox are skipped: ${state.reason ?? 'there is none'}`);
