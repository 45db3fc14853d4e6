/** Text controls: a line, several lines, a search, and a native select. */
import { ChevronDown, Search } from 'lucide-react';
import {
  type CSSProperties,
  type InputHTMLAttributes,
  type KeyboardEvent,
  type Ref,
  type RefObject,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useLayoutEffect,
  useRef,
} from 'react';
import { classNames } from '../class-names.ts';

interface InputProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly ref?: Ref<HTMLInputElement> | undefined;
}

export function Input({ className, ...attributes }: InputProps) {
  return <input type="text" {...attributes} className={classNames(CONTROL, 'h-8 px-2.5', className)} />;
}

/** Common look of all text controls. */
export const CONTROL =
  'w-full min-w-0 rounded-md border border-line-strong bg-surface text-base text-ink transition-colors duration-(--quick) ' +
  'hover:border-control focus-visible:border-accent-text focus-visible:outline-1 focus-visible:-outline-offset-1 ' +
  'aria-invalid:border-bad disabled:opacity-60';

interface SearchInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'className'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A text field with a magnifying glass; its label is shown as the placeholder. */
export function SearchInput({ label, onChange, ...attributes }: SearchInputProps) {
  return (
    <div className="relative">
      <Search className="pointer-events-none absolute inset-s-2.5 top-1/2 size-3.5 -translate-y-1/2 text-ink-faint" />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        {...attributes}
        onChange={(event) => onChange(event.target.value)}
        className="ps-8!"
      />
    </div>
  );
}

/** Attributes of a field that filters the list with this id; Enter chooses its option with the index `active`. */
export function toCombobox(listId: string, active: number, isOpen: boolean) {
  return {
    role: 'combobox',
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? listId : undefined,
    'aria-autocomplete': 'list',
    'aria-activedescendant': isOpen ? `${listId}-${active}` : undefined,
    autoComplete: 'off',
    spellCheck: false,
  } as const;
}

interface SelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChoose: (value: string) => void;
}

/**
 * Native select: complete for keyboards, screen readers and phones.
 */
export function Select({ options, onChoose, className, ...attributes }: SelectProps) {
  return (
    <span className={classNames('relative inline-flex w-full', className)}>
      <select
        {...attributes}
        onChange={(event) => onChoose(event.target.value)}
        className={classNames(CONTROL, 'own-select h-8 ps-2.5 pe-8')}
      >
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDown className="pointer-events-none absolute inset-e-2.5 top-1/2 size-3.5 -translate-y-1/2 text-ink-faint" />
    </span>
  );
}

interface TextareaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly onEnter?: () => void;
  readonly maxRows?: number;
  /** Without a border, for use inside another control. */
  readonly isBare?: boolean;
  readonly ref?: Ref<HTMLTextAreaElement>;
}

/**
 * Multi-line text field that grows with its content. With `onEnter`, Enter submits and Shift+Enter inserts a line break; an Enter
 * that confirms an input method composition does neither.
 */
export function Textarea({ onEnter, rows = 1, maxRows = 12, isBare = false, ref, ...rest }: TextareaProps) {
  const { className, onKeyDown, ...attributes } = rest;
  const own = useRef<HTMLTextAreaElement>(null);
  useMeasuredHeight(own, maxRows, [attributes.value, attributes.placeholder, className]);

  const pressKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    onKeyDown?.(event);
    if (event.defaultPrevented || !onEnter || event.key !== 'Enter' || event.shiftKey || isComposing(event))
      return;
    event.preventDefault();
    onEnter();
  };

  return (
    <textarea
      {...attributes}
      rows={rows}
      ref={joinRefs(own, ref)}
      onKeyDown={pressKey}
      style={growsByStyle() ? toHeights(rows, maxRows) : undefined}
      className={classNames(
        isBare ? 'w-full min-w-0 bg-transparent outline-none' : CONTROL,
        !isBare && 'px-2.5 py-1.5',
        'block resize-none field-sizing-content',
        className,
      )}
    />
  );
}

/** Leaves room for the surrounding content, however low the window is. */
const MAX_WINDOW_SHARE = 0.4;

let hasFieldSizing: boolean | undefined;

/** Whether `field-sizing` works: to measure the text needs a layout of the whole page with each letter. */
function growsByStyle(): boolean {
  hasFieldSizing ??= CSS.supports('field-sizing', 'content');
  return hasFieldSizing;
}

function toHeights(rows: number, maxRows: number): CSSProperties {
  const padding = '0.75rem';
  return {
    minHeight: rows > 1 ? `calc(${rows}lh + ${padding})` : undefined,
    maxHeight: `min(${maxRows}lh + ${padding}, ${MAX_WINDOW_SHARE * 100}vh)`,
  };
}

/** For browsers without `field-sizing`. The height depends on the text and the layout around it. */
function useMeasuredHeight(
  own: RefObject<HTMLTextAreaElement | null>,
  maxRows: number,
  content: readonly unknown[],
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the content changes
  useLayoutEffect(() => {
    if (own.current && !growsByStyle()) growToContent(own.current, maxRows);
  }, [...content, maxRows]);

  // A hidden element cannot be measured, and lines wrap differently at another width: measure again when its size changes.
  useLayoutEffect(() => {
    const element = own.current;
    if (!element || growsByStyle()) return undefined;
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      // In the next frame: the observer reports its own change as a loop.
      if (width > 0) requestAnimationFrame(() => growToContent(element, maxRows));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [own, maxRows]);
}

function growToContent(element: HTMLTextAreaElement, maxRows: number): void {
  element.style.height = 'auto';
  if (element.clientWidth === 0) return;
  const style = getComputedStyle(element);
  const frame = element.offsetHeight - element.clientHeight;
  const padding = Number.parseFloat(style.paddingBlockStart) + Number.parseFloat(style.paddingBlockEnd);
  const rows = Number.parseFloat(style.lineHeight) * maxRows + padding;
  const most = Math.min(rows, innerHeight * MAX_WINDOW_SHARE);
  element.style.height = `${Math.min(element.scrollHeight, most) + frame}px`;
  element.style.overflowY = element.scrollHeight > most ? 'auto' : 'hidden';
}

/**
 * Whether a key press belongs to an input method (Chinese, Japanese, Korean) and must be ignored. Safari ends the composition
 * before the Enter that confirms it; that key press still has code 229.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229;
}

/** One ref callback for several refs. */
export function joinRefs<T>(...refs: readonly (Ref<T> | undefined)[]): (element: T | null) => void {
  return (element) => {
    for (const ref of refs) {
      if (typeof ref === 'function') ref(element);
      else if (ref) ref.current = element;
    }
  };
}
