/** Good news, and what waits for a person, on its way to the screen. */
import { create } from 'zustand';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly onChoose: () => void } | undefined;
  /** What waits for a person: it stays until it is dismissed, or answered. */
  readonly waitsFor?: string | undefined;
}

interface Toasts {
  readonly toasts: readonly Toast[];
  readonly show: (text: string, action?: Toast['action']) => void;
  /** One for each subject. */
  readonly showWaiting: (waitsFor: string, text: string, action: Toast['action']) => void;
  readonly dismiss: (id: number) => void;
  readonly dismissWaiting: (waitsFor: string) => void;
}

const MOST = 4;
let lastId = 0;

export const useToasts = create<Toasts>((set) => ({
  toasts: [],
  show: (text, action) =>
    set(({ toasts }) => ({ toasts: [...toasts, { id: ++lastId, text, action }].slice(-MOST) })),
  showWaiting: (waitsFor, text, action) =>
    set(({ toasts }) => ({
      toasts: [
        ...toasts.filter((toast) => toast.waitsFor !== waitsFor),
        { id: ++lastId, text, action, waitsFor },
      ].slice(-MOST),
    })),
  dismissWaiting: (waitsFor) =>
    set(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.waitsFor !== waitsFor) })),
  dismiss: (id) => set(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) })),
}));
