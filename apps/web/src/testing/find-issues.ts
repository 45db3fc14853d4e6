/** Axe violations of the current page, as text. */
import axe from 'axe-core';

export async function findIssues(root: Element | Document = document): Promise<readonly string[]> {
  // Waits for animations to finish.
  await Promise.allSettled(
    document
      .getAnimations()
      .filter(hasEnd)
      .map((animation) => animation.finished),
  );
  const { violations } = await axe.run(root as Element, {
    rules: { region: { enabled: false } },
    // Elements that passed are not described.
    resultTypes: ['violations'],
    // Not the style sheets: only an experimental rule, which is disabled, reads them.
    preload: { assets: ['media'] },
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

function hasEnd({ effect }: Animation): boolean {
  return effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY;
}
