/** Modules of the page that failed to load: the server was upgraded or stopped while the page was open. */
const loadErrors = new WeakSet<Error>();

/** Call before the first import; returns a function that ends it. */
export function watchLoadErrors(): () => void {
  const remember = ({ payload }: VitePreloadErrorEvent): void => void loadErrors.add(payload);
  addEventListener('vite:preloadError', remember);
  return () => removeEventListener('vite:preloadError', remember);
}

export function isLoadError(error: unknown): boolean {
  return error instanceof Error && loadErrors.has(error);
}
