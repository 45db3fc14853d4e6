/** A name that no other process picks. */
export declare function stagingName(kind: string): string;
/** Whose work in progress a name is; undefined for any other name. */
export declare function parseStagingName(name: string):
  | {
      kind: string;
      pid: number;
    }
  | undefined;
export declare function isAlive(pid: number): boolean;
/** Deletes temp files of dead processes in a folder and, unless told otherwise, below it. Links are not followed. */
export declare function sweepTempFiles(
  folder: string,
  {
    isDeep,
  }?: {
    isDeep?: boolean | undefined;
  },
): Promise<void>;
