/**
 * Notices: a retry, a rejected transition, a warning, an error. Each is one timeline entry with a code, so that a screen can
 * show it in its own language.
 */
import type { RunEvent } from './events.ts';
import type { Entry, ItemOf } from './timeline.ts';

/** Undefined for events that are not notices. */
export function toNotice(event: RunEvent, entry: Entry): ItemOf<'notice'> | undefined {
  const notice = { ...entry, kind: 'notice' } as const;
  switch (event.type) {
    case 'llm.retry':
      return {
        ...notice,
        level: 'warning',
        code: event.code,
        message: event.message,
        retryDelayMs: event.delayMs,
        ...(event.details ? { details: event.details } : {}),
      };
    case 'context.reset':
      return { ...notice, level: 'warning', code: 'context.reset', message: event.message };
    case 'transition.refused':
      return {
        ...notice,
        level: 'warning',
        code: event.code ?? 'E_INVALID_TRANSITION',
        message: event.message,
        refused: { from: event.from, to: event.to },
      };
    case 'context.compacted': {
      // Routine in a long conversation: the model can still read everything.
      if (event.outlined !== undefined) return undefined;
      const message = `${event.tokensBefore} → ${event.tokensAfter} tokens`;
      return { ...notice, level: 'info', code: `context.${event.outcome}`, message };
    }
    case 'warning':
      return {
        ...notice,
        level: 'warning',
        code: event.code ?? 'warning',
        message: event.message,
        ...(event.details ? { details: event.details } : {}),
      };
    case 'error':
      return { ...notice, level: 'error', code: event.code, message: event.message };
    default:
      return undefined;
  }
}
