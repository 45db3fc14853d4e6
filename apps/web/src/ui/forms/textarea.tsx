/**
 * Text over several lines that grows with what is in it. With `onEnter`, Enter hands the text over and Shift+Enter breaks the
 * line; an Enter that ends the composing of a character does neither.
 */
import { type KeyboardEvent, type Ref, type TextareaHTMLAttributes, useLayoutEffect, useRef } from 'react';
import { classNames } from '../class-names.ts';
import { CONTROL } from './input.tsx';
import { isComposing } from './is-composing.ts';
import { joinRefs } from './join-refs.ts';

interface TextareaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly onEnter?: () => void;
  readonly maxRows?: number;
  /** Without the frame of a control, for use inside one. */
  readonly isBare?: boolean;
  readonly ref?: Ref<HTMLTextAreaElement>;
}

export function Textarea({ onEnter, maxRows = 12, isBare = false, ref, ...rest }: TextareaProps) {
  const { className, onKeyDown, ...attributes } = rest;
  const own = useRef<HTMLTextAreaElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text and what is around it
  useLayoutEffect(() => {
    if (own.current) growToContent(own.current, maxRows);
  }, [attributes.value, attributes.placeholder, className, maxRows]);

  // Out of sight there is nothing to measure, and with another width other lines: it is measured when it is shown.
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

/** What is around it is to be seen as well, however low the window is. */
const MOST_OF_WINDOW = 0.4;

function growToContent(element: HTMLTextAreaElement, maxRows: number): void {
  element.style.height = 'auto';
  if (element.clientWidth === 0) return;
  const style = getComputedStyle(element);
  const frame = element.offsetHeight - element.clientHeight;
  const padding = Number.parseFloat(style.paddingBlockStart) + Number.parseFloat(style.paddingBlockEnd);
  const rows = Number.parseFloat(style.lineHeight) * maxRows + padding;
  const most = Math.min(rows, innerHeight * MOST_OF_WINDOW);
  element.style.height = `${Math.min(element.scrollHeight, most) + frame}px`;
  element.style.overflowY = element.scrollHeight > most ? 'auto' : 'hidden';
}
