/** Parts of the page that could not be loaded: the server they came from was upgraded, or is gone, while the page was open. */
const loadErrors = new WeakSet<Error>();

/** From the very beginning, until the returned function is called. */
export function watchLoadErrors(): () => void {
  const remember = ({ payload }: VitePreloadErrorEvent): void => void loadErrors.add(payload);
  addEventListener('vite:preloadError', remember);
  return () => removeEventListener('vite:preloadError', remember);
}

export function isLoadError(error: unknown): boolean {
  return error instanceof Error && loadErrors.has(error);
}
