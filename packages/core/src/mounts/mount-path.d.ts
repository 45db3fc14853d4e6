export declare const MOUNTS: readonly ['@project', '@pkg', '@state'];
export type MountName = (typeof MOUNTS)[number];
export interface MountPath {
  readonly mount: MountName;
  /** Empty for the mount itself. */
  readonly segments: readonly string[];
}
export type ParsedMountPath =
  | {
      readonly ok: true;
      readonly path: MountPath;
    }
  | {
      readonly ok: false;
      readonly reason: string;
    };
/** Never trims or repairs: what is checked is what is opened. The reason is a whole sentence. */
export declare function parseMountPath(text: string, artifactsDir?: string): ParsedMountPath;
export declare function formatMountPath({ mount, segments }: MountPath): string;
