export const webDist: string;
export const MAX_FIRST_KB: number;
export function buildWeb(): Promise<void>;
export function measureWeb(): {
  readonly firstFiles: readonly string[];
  readonly firstKb: number;
  readonly laterKb: Readonly<Record<string, number>>;
};
