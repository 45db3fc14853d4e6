/** Loading placeholder, for content of a known shape. */
export function Skeleton({ className = 'h-4 w-full' }: { readonly className?: string }) {
  return <div aria-hidden="true" className={`breathing rounded-md bg-hover ${className}`} />;
}
