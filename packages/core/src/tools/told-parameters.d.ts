/**
 * What models are told of our tools' arguments. Written by `npm run schemas` from the schemas of the tools.
 */
export declare const TOLD_PARAMETERS: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
