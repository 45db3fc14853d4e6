/** The name of a package for people, the same on every screen. */

interface NamedPackage {
  readonly name: string;
  /** Of its about.json. */
  readonly title?: string | undefined;
}

/** The title its author gave it, or that of its only workflow, else its name as words: `decision-records` → `Decision records`. Pure. */
export function toPackageTitle(
  { name, title }: NamedPackage,
  workflows: readonly { readonly title: string }[] = [],
): string {
  if (title !== undefined) return title;
  const [first, second] = workflows;
  if (first && !second) return first.title;
  const words = name.replace(/[-_.]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
