/**
 * Keeps the keyboard where it was when the row that had it is removed: it moves to the next row, else to the previous one, else to
 * what comes first around the list. From a toast that was closed it moves to the next toast, else back. Only if nothing else takes
 * the focus, such as a new screen.
 */
import { hasLostFocus } from './use-action.ts';

const ROWS = '[role="treeitem"], li, tr';
/** What had the focus before one of these was opened has it again afterwards. */
const OVERLAYS = '[role="dialog"], [role="alertdialog"], [role="menu"], :has(> [data-toasts])';
/** Radix moves the focus of a toast that closes to the list of toasts. */
const TOASTS = '[data-toasts]';
const CONTROLS = 'a[href], button, input, select, textarea, [tabindex]';

/** Where the row was. */
interface Gap {
  readonly next: Element | null;
  readonly previous: Element | null;
  readonly around: Element;
  /** Which one of the controls of the row had the focus. */
  readonly index: number;
}

/** Returns a function that ends it. */
export function keepFocus(): () => void {
  /** Outside of overlays. */
  let last: HTMLElement | undefined;
  let row: { readonly element: Element; readonly index: number } | undefined;
  let gap: Gap | undefined;
  let frame = 0;
  const remember = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement) || target.closest(OVERLAYS)) return;
    last = target;
    const element = target.closest(ROWS);
    row = element ? { element, index: controlsOf(element).indexOf(target) } : undefined;
    gap = undefined;
  };
  const restore = (): void => {
    const { activeElement } = document;
    if (activeElement?.matches(TOASTS))
      ([...activeElement.querySelectorAll('button')].at(-1) ?? (gap ? findIn(gap) : last))?.focus();
    else if (gap && hasLostFocus()) {
      findIn(gap)?.focus();
      gap = undefined;
    }
  };
  const observer = new MutationObserver((changes) => {
    if (row && !row.element.isConnected) {
      gap = findGap(changes, row);
      row = undefined;
    }
    if (!gap && !document.activeElement?.matches(TOASTS)) return;
    cancelAnimationFrame(frame);
    // After the effects of the components, which may know a better place.
    frame = requestAnimationFrame(() => setTimeout(restore));
  });
  document.addEventListener('focusin', remember);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', remember);
    observer.disconnect();
    cancelAnimationFrame(frame);
  };
}

function findGap(
  changes: readonly MutationRecord[],
  { element, index }: { readonly element: Element; readonly index: number },
): Gap | undefined {
  const change = changes.findLast(
    ({ target, removedNodes }) =>
      target.isConnected && [...removedNodes].some((node) => node.contains(element)),
  );
  if (!(change?.target instanceof Element)) return undefined;
  const next = toElement(change.nextSibling, 'nextSibling');
  const previous = toElement(change.previousSibling, 'previousSibling');
  return { next, previous, around: change.target, index };
}

function toElement(node: Node | null, side: 'nextSibling' | 'previousSibling'): Element | null {
  return node === null || node instanceof Element ? node : toElement(node[side], side);
}

function findIn({ next, previous, around, index }: Gap): HTMLElement | undefined {
  for (let row = next; row?.isConnected; row = row.nextElementSibling) {
    const control = controlIn(row, index);
    if (control) return control;
  }
  for (let row = previous; row?.isConnected; row = row.previousElementSibling) {
    const control = controlIn(row, index);
    if (control) return control;
  }
  for (let part: Element | null = around; part?.isConnected; part = part.parentElement) {
    const [first] = controlsOf(part);
    if (first) return first;
  }
  return undefined;
}

/** The item itself where a list has arrow keys, else the same control as before. */
function controlIn(row: Element, index: number): HTMLElement | undefined {
  const controls = controlsOf(row);
  return (
    controls.find((control) => control.matches('[data-list-item], [role="treeitem"]')) ??
    controls[Math.min(Math.max(index, 0), controls.length - 1)]
  );
}

function controlsOf(part: Element): HTMLElement[] {
  const inside = [...part.querySelectorAll<HTMLElement>(CONTROLS)];
  const all = part instanceof HTMLElement && part.matches(CONTROLS) ? [part, ...inside] : inside;
  return all.filter((control) => !control.matches(':disabled') && control.checkVisibility());
}
