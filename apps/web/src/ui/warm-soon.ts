/**
 * Does what a screen will need for the first time: when the browser is idle, or soon if it is busy. Each step is a task of its own, so
 * that none delays what a person does. A browser without idle callbacks does it when it is needed.
 */
export function warmSoon(steps: readonly (() => void)[]): void {
  for (const step of steps) globalThis.requestIdleCallback?.(step, { timeout: MOST_MS });
}

const MOST_MS = 100;
