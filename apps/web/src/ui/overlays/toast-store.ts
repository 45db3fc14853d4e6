/** Good news on its way to the screen. */
import { create } from 'zustand';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly onChoose: () => void } | undefined;
}

interface Toasts {
  readonly toasts: readonly Toast[];
  readonly show: (text: string, action?: Toast['action']) => void;
  readonly dismiss: (id: number) => void;
}

const MOST = 4;
let lastId = 0;

export const useToasts = create<Toasts>((set) => ({
  toasts: [],
  show: (text, action) =>
    set(({ toasts }) => ({ toasts: [...toasts, { id: ++lastId, text, action }].slice(-MOST) })),
  dismiss: (id) => set(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) })),
}));
