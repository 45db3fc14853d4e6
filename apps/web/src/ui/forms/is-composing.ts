/**
 * Whether a key press belongs to the composing of a character (Chinese, Japanese, Korean input): then it is nobody else's.
 * Safari ends the composing before the Enter that ended it; that one still has the code 229.
 */
import type { KeyboardEvent } from 'react';

export function isComposing(event: KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229;
}
