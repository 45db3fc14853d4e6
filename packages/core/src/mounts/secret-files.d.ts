export type IsSecret = (segments: readonly string[]) => boolean;
/** A judge over paths inside a mount. Extra patterns are file names, `*` standing for any characters. */
export declare function createSecretCheck(extraPatterns?: readonly string[]): IsSecret;
