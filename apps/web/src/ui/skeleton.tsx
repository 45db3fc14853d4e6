/** Where something will be in a moment; only where its shape is known. */
export function Skeleton({ className = 'h-4 w-full' }: { readonly className?: string }) {
  return <div aria-hidden="true" className={`breathing rounded-md bg-hover ${className}`} />;
}
