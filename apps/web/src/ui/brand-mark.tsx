/** The product's logo, as in the app icon: a crew around its leader, in the accent colour. Shown next to the product name. */
import { classNames } from './class-names.ts';

export function BrandMark({ className }: { readonly className?: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" className={classNames('shrink-0', className)}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M21.5 11.2a7 7 0 1 0 0 9.6"
        fill="none"
        strokeWidth="3"
        strokeLinecap="round"
        className="stroke-accent-ink"
      />
      <circle cx="22.6" cy="16" r="2.4" className="fill-accent-ink" />
    </svg>
  );
}
