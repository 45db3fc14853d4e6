export const desktopRoot: string;
export const desktopDist: string;
export function buildDesktop(): Promise<void>;
