/**
 * Parts of a text for a model: a range of lines, or the beginning of something too long. Pure.
 */
export interface LineRange {
  readonly startLine: number;
  readonly endLine: number;
}
export declare function countLines(text: string): number;
/** Lines `startLine` to `endLine` (from 1, both included), with their own line endings. */
export declare function sliceLines(text: string, { startLine, endLine }: LineRange): string;
/** At most `maxBytes` of UTF-8 from the beginning, cut after a whole line where there is one. */
export declare function previewOf(text: string, maxBytes: number): string;
