/** Queue of toasts: success messages, and Works that wait for the user. */
import { create } from 'zustand';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly onChoose: () => void } | undefined;
  /** The Work that waits for the user: the toast stays until it is dismissed or the Work is answered. */
  readonly waitsFor?: string | undefined;
}

interface Toasts {
  readonly toasts: readonly Toast[];
  readonly show: (text: string, action?: Toast['action']) => void;
  /** At most one per Work. */
  readonly showWaiting: (waitsFor: string, text: string, action: Toast['action']) => void;
  readonly dismiss: (id: number) => void;
  readonly dismissWaiting: (waitsFor: string) => void;
}

const MAX_TOASTS = 4;
let lastId = 0;

export const useToasts = create<Toasts>((set) => ({
  toasts: [],
  show: (text, action) =>
    set(({ toasts }) => ({ toasts: [...toasts, { id: ++lastId, text, action }].slice(-MAX_TOASTS) })),
  showWaiting: (waitsFor, text, action) =>
    set(({ toasts }) => ({
      toasts: [
        ...toasts.filter((toast) => toast.waitsFor !== waitsFor),
        { id: ++lastId, text, action, waitsFor },
      ].slice(-MAX_TOASTS),
    })),
  dismissWaiting: (waitsFor) =>
    set(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.waitsFor !== waitsFor) })),
  dismiss: (id) => set(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) })),
}));
