/** Renders components that request data themselves, with a fake server. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { ReactNode } from 'react';
import { render } from 'vitest-browser-react';
import { ApiProvider } from '../api/api-context.tsx';
import { Toasts } from '../ui/overlays/toasts.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';

/** Only the calls that are made need an answer. */
export type Answers = {
  readonly [Group in keyof ApiClient]?: {
    readonly [Name in keyof ApiClient[Group]]?: (...args: readonly never[]) => unknown;
  };
};

export async function renderServed(answers: Answers, content: ReactNode) {
  const around = (inside: ReactNode) => (
    <ApiProvider client={answers as unknown as ApiClient}>
      <TooltipProvider>
        {inside}
        <Toasts />
      </TooltipProvider>
    </ApiProvider>
  );
  const screen = await render(around(content));
  return { container: screen.container, show: (next: ReactNode) => screen.rerender(around(next)) };
}
