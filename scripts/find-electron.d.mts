export function findElectron(
  env?: Readonly<Record<string, string | undefined>>,
  folder?: string,
): string | undefined;
export const NO_ELECTRON: string;
