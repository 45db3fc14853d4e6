/**
 * Whether nothing has the keyboard. A button that is disabled while it is busy counts too: browsers take the focus from it only
 * when they paint the next frame.
 */
export function hasLostFocus(): boolean {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body || activeElement.matches(':disabled');
}
