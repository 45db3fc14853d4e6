/** The page title: the visible screen, preceded by the number of Works that wait for the user. */
import { useEffect } from 'react';
import { create } from 'zustand';

const PRODUCT = 'CrewAgent';

interface PageTitle {
  readonly parts: readonly string[];
  readonly waiting: number;
}

const useStore = create<PageTitle>(() => ({ parts: [], waiting: 0 }));

useStore.subscribe(({ parts, waiting }) => {
  const count = waiting > 0 ? `(${waiting}) ` : '';
  document.title = `${count}${[...parts, PRODUCT].join(' · ')}`;
});

/** Sets the title while the component is mounted. */
export function usePageTitle(...parts: readonly string[]): void {
  const joined = parts.join('\0');
  useEffect(() => {
    useStore.setState({ parts: joined.split('\0') });
    return () => useStore.setState({ parts: [] });
  }, [joined]);
}

export function useWaitingTitle(waiting: number): void {
  useEffect(() => {
    useStore.setState({ waiting });
    return () => useStore.setState({ waiting: 0 });
  }, [waiting]);
}
