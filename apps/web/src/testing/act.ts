/**
 * `act` for React as users get it, which has none: what is rendered is on the page when it resolves. The library that renders
 * components in tests uses `React.act` if it exists when it is loaded.
 */
import React from 'react';
import { flushSync } from 'react-dom';

Object.assign(React, {
  async act(change: () => unknown): Promise<void> {
    const result = flushSync(change);
    await result;
    // Effects may have changed state, which is rendered in a microtask or a task.
    await nextTask();
  },
});

/** Without a timer, because tests replace those. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    port2.postMessage(undefined);
  });
}
