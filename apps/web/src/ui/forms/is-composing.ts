/**
 * Whether a key press belongs to an input method (Chinese, Japanese, Korean) and must be ignored. Safari ends the composition
 * before the Enter that confirms it; that key press still has code 229.
 */
import type { KeyboardEvent } from 'react';

export function isComposing(event: KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229;
}
