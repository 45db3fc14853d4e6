/** The current time, updated every second while mounted. */
import { createContext, useContext, useEffect, useState } from 'react';

/** The time, in milliseconds, where the past is shown: it stands still. */
export const PastTimeContext = createContext<number | undefined>(undefined);

export function useNow(isTicking: boolean): number {
  const past = useContext(PastTimeContext);
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!isTicking || past !== undefined) return;
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isTicking, past]);
  return past ?? nowMs;
}
