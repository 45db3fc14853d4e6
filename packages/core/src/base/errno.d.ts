/** The errno name of a system error (`ENOENT`, …), or undefined for anything else. */
export declare function errnoOf(error: unknown): string | undefined;
/** Why the system refused, in words that follow "because …" or a colon. */
export declare function errnoSentence(error: unknown): string | undefined;
/** Runs disk work; a refusal of the system becomes a CrewError that starts with `doing`, a bug stays a bug. */
export declare function withDiskErrors<T>(doing: string, work: () => Promise<T>): Promise<T>;
