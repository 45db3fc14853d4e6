export declare function isIgnoredName(name: string): boolean;
