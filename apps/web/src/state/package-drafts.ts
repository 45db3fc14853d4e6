/** Texts of package files that were typed and not saved, by folder and file. */
import { create } from 'zustand';

export interface PackageDraft {
  readonly text: string;
  /** What was edited, and its hash. */
  readonly base: string;
  readonly sha256: string;
}

type Drafts = Readonly<Record<string, PackageDraft>>;

export const usePackageDrafts = create<{ readonly drafts: Drafts }>(() => ({ drafts: {} }));

export function draftKey(folder: string, file: string): string {
  return `${folder}\n${file}`;
}

/** Undefined discards it. */
export function setPackageDraft(key: string, draft: PackageDraft | undefined): void {
  const { [key]: _, ...others } = usePackageDrafts.getState().drafts;
  usePackageDrafts.setState({ drafts: draft ? { ...others, [key]: draft } : others });
}

export function hasPackageDrafts(): boolean {
  return Object.keys(usePackageDrafts.getState().drafts).length > 0;
}
