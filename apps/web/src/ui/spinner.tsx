/** Progress of unknown duration. The surrounding text must name the operation. */
export function Spinner({ className = 'size-3.5' }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 16 16" className={`spinning shrink-0 ${className}`} aria-hidden="true">
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeOpacity="0.25" strokeWidth="2" />
      <path d="M14 8a6 6 0 0 0-6-6" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
