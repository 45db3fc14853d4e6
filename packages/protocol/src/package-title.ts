/** The name of a package for people, the same on every screen. */

/** The title of its only workflow, else its name as words: `decision-records` → `Decision records`. Pure. */
export function toPackageTitle(name: string, workflows: readonly { readonly title: string }[]): string {
  const [first, second] = workflows;
  if (first && !second) return first.title;
  const words = name.replace(/[-_.]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
