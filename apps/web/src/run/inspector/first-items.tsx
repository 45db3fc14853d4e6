/** The first items of a list, and more on demand. */
import { type ReactNode, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';

interface FirstItemsProps<Item> {
  readonly items: readonly Item[];
  readonly first: number;
  /** How many more each time; all by default. */
  readonly more?: number;
  readonly keyOf: (item: Item, index: number) => string | number;
  readonly as?: 'ul' | 'ol';
  readonly label?: string;
  readonly className?: string;
  readonly children: (item: Item) => ReactNode;
}

export function FirstItems<Item>(props: FirstItemsProps<Item>) {
  const {
    items,
    first,
    more = Number.POSITIVE_INFINITY,
    keyOf,
    as: List = 'ul',
    label,
    className,
    children,
  } = props;
  const { t } = useTranslation();
  const [count, setCount] = useState(first);
  return (
    <>
      <List aria-label={label} className={classNames('flex flex-col', className)}>
        {items.slice(0, count).map((item, index) => (
          <li key={keyOf(item, index)}>{children(item)}</li>
        ))}
      </List>
      {count < items.length ? (
        <button
          type="button"
          className="mt-1 w-fit rounded-sm text-sm text-accent-text"
          onClick={() => setCount(count + more)}
        >
          {t('text.showAll')}
        </button>
      ) : undefined}
    </>
  );
}
