/** Answers every question of a workflow on the page. */
import type { Page } from 'playwright-core';

/** Until the workflow is complete. */
export async function answerUntilDone(page: Page): Promise<void> {
  const answer = page.getByRole('button', { name: 'Answer', exact: true });
  const done = page.getByText('Workflow completed').first();
  while (true) {
    await answer.or(done).first().waitFor();
    if (await done.isVisible()) return;
    const dock = page.getByRole('region', { name: /question/ });
    for (const field of await dock.locator('form').getByRole('textbox').all()) await field.fill('A new one');
    for (const group of await dock.getByRole('radiogroup').all())
      await group.getByRole('radio').first().click();
    const pressed = await answer.elementHandle();
    await answer.click();
    await pressed?.waitForElementState('hidden');
  }
}
