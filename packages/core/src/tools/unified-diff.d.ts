export declare function diffOf(path: string, before: Buffer | undefined, after: Buffer): string;
