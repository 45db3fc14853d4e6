/**
 * Multi-line text field that grows with its content. With `onEnter`, Enter submits and Shift+Enter inserts a line break; an Enter
 * that confirms an input method composition does neither.
 */
import { type KeyboardEvent, type Ref, type TextareaHTMLAttributes, useLayoutEffect, useRef } from 'react';
import { classNames } from '../class-names.ts';
import { CONTROL } from './input.tsx';
import { isComposing } from './is-composing.ts';
import { joinRefs } from './join-refs.ts';

interface TextareaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly onEnter?: () => void;
  readonly maxRows?: number;
  /** Without a border, for use inside another control. */
  readonly isBare?: boolean;
  readonly ref?: Ref<HTMLTextAreaElement>;
}

export function Textarea({ onEnter, maxRows = 12, isBare = false, ref, ...rest }: TextareaProps) {
  const { className, onKeyDown, ...attributes } = rest;
  const own = useRef<HTMLTextAreaElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text and the layout around it
  useLayoutEffect(() => {
    if (own.current) growToContent(own.current, maxRows);
  }, [attributes.value, attributes.placeholder, className, maxRows]);

  // A hidden element cannot be measured, and lines wrap differently at another width: measure again when its size changes.
  useLayoutEffect(() => {
    const element = own.current;
    if (!element) return undefined;
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      if (width > 0) growToContent(element, maxRows);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [maxRows]);

  const pressKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    onKeyDown?.(event);
    if (event.defaultPrevented || !onEnter || event.key !== 'Enter' || event.shiftKey || isComposing(event))
      return;
    event.preventDefault();
    onEnter();
  };

  return (
    <textarea
      rows={1}
      {...attributes}
      ref={joinRefs(own, ref)}
      onKeyDown={pressKey}
      className={classNames(
        isBare ? 'w-full min-w-0 bg-transparent outline-none' : CONTROL,
        !isBare && 'px-2.5 py-1.5',
        'block resize-none',
        className,
      )}
    />
  );
}

/** Leaves room for the surrounding content, however low the window is. */
const MAX_WINDOW_SHARE = 0.4;

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
