/** Whether two JSON-like values are equal; the order of keys does not count. */
export declare function isSameValue(a: unknown, b: unknown): boolean;
