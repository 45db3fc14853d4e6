/**
 * Catches render errors: replaces its children by what happened and what to do, while the rest of the page keeps working. A
 * class, because React has no error boundaries as functions.
 */
import { Component, type ReactNode } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../button.tsx';
import { Note } from '../note.tsx';

interface ErrorBoundaryProps {
  /** A change of this value, such as the route, retries. */
  readonly resetKey?: unknown;
  /** The children contain the heading of the screen, so the error needs one. */
  readonly isScreen?: boolean;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly caught?: { readonly error: unknown } | undefined;
  readonly resetKey?: unknown;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = {};

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { caught: { error } };
  }

  static getDerivedStateFromProps(
    { resetKey }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): ErrorBoundaryState | null {
    return Object.is(resetKey, state.resetKey) ? null : { resetKey, caught: undefined };
  }

  override render(): ReactNode {
    const { caught } = this.state;
    const { children, isScreen = false } = this.props;
    if (!caught) return children;
    const again = (): void => this.setState({ caught: undefined });
    return <Broken error={caught.error} isScreen={isScreen} onAgain={again} />;
  }
}

interface BrokenProps {
  readonly error: unknown;
  readonly isScreen: boolean;
  readonly onAgain: () => void;
}

function Broken({ error, isScreen, onAgain }: BrokenProps) {
  const { t } = useTranslation();
  // A module that failed to load is not requested again by this page.
  const kind = isLoadError(error) ? 'notLoaded' : 'broken';
  return (
    <div className="h-full overflow-auto bg-surface p-4">
      <div className="mx-auto max-w-xl">
        {isScreen ? <h1 className="sr-only">{t('error.title')}</h1> : undefined}
        <Note
          level="error"
          title={t(`error.${kind}.title`)}
          advice={t(`error.${kind}.advice`)}
          actions={
            <>
              {kind === 'broken' ? <Button onClick={onAgain}>{t('action.retry')}</Button> : undefined}
              <Button onClick={() => location.reload()}>{t('error.reload')}</Button>
            </>
          }
          details={{ label: t('error.details'), text: String(error) }}
        >
          {t(`error.${kind}.why`)}
        </Note>
      </div>
    </div>
  );
}

/** Modules of the page that failed to load: the server was upgraded or stopped while the page was open. */
const loadErrors = new WeakSet<Error>();

/** Call before the first import; returns a function that ends it. */
export function watchLoadErrors(): () => void {
  const remember = ({ payload }: VitePreloadErrorEvent): void => void loadErrors.add(payload);
  addEventListener('vite:preloadError', remember);
  return () => removeEventListener('vite:preloadError', remember);
}

function isLoadError(error: unknown): boolean {
  return error instanceof Error && loadErrors.has(error);
}
