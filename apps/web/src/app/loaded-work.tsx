/**
 * The screen of a Work, which Start and the settings do without: loaded when a route or the first movement of a person leads to it.
 * Not with `lazy`, whose fallback React shows for 300 ms.
 */
import { type ComponentProps, type ComponentType, useEffect, useState } from 'react';
import { toError } from '../ui/errors/error-texts.ts';
import { Skeleton } from '../ui/skeleton.tsx';

type LiveWork = ComponentType<ComponentProps<typeof import('./conversation/live-work.tsx').LiveWork>>;

let loaded: LiveWork | undefined;
let loading: Promise<LiveWork> | undefined;

/** Preloads the screen. A failed load is tried again where the screen is shown. */
export function warmWork(): void {
  load().catch(() => undefined);
}

function load(): Promise<LiveWork> {
  loading ??= import('./conversation/live-work.tsx').then(
    (module) => {
      loaded = module.LiveWork;
      return module.LiveWork;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

export function LoadedWork(props: ComponentProps<LiveWork>) {
  const [result, setResult] = useState<{ readonly Screen: LiveWork | undefined; readonly error?: Error }>(
    () => ({ Screen: loaded }),
  );
  const { Screen, error } = result;
  useEffect(() => {
    if (Screen) return undefined;
    let isShown = true;
    const show = (next: typeof result): void => {
      if (isShown) setResult(next);
    };
    load().then(
      (found) => show({ Screen: found }),
      (failure: unknown) => show({ Screen: undefined, error: toError(failure) }),
    );
    return () => {
      isShown = false;
    };
  }, [Screen]);
  // For the error boundary, which offers to load the page again.
  if (error) throw error;
  return Screen ? (
    <Screen {...props} />
  ) : (
    <div className="page-column h-full">
      <Skeleton className="h-40" />
    </div>
  );
}
