export declare function diffOf(path: string, before: Buffer | undefined, after: Buffer): string;
export type Patch =
  | {
      readonly ok: true;
      readonly text: string;
    }
  | {
      readonly ok: false;
      readonly reason: 'binary' | 'too-large';
    };
/** The whole of it; undefined stands for a file that is not there. */
export declare function patchOf(path: string, before: Buffer | undefined, after: Buffer | undefined): Patch;
/** The beginning of a diff that is too long, and how long it is. */
export declare function cutOff(diff: string, maxChars: number): string;
