/** Axe violations of the current page, as text. */
import axe from 'axe-core';

export async function findIssues(root: Element | Document = document): Promise<readonly string[]> {
  // Waits for animations to finish, but not for endless ones.
  const moving = document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY);
  await Promise.allSettled(moving.map(({ finished }) => finished));
  const { violations } = await axe.run(root as Element, {
    rules: { region: { enabled: false } },
    resultTypes: ['violations'],
    // Not the style sheets: only an experimental rule, which is disabled, reads them.
    preload: { assets: ['media'] },
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
