import { settingsSchema } from '@crewagent/protocol/settings';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { useAppearance } from '../state/appearance.ts';
import { findIssues } from '../testing/find-issues.ts';
import { renderServed } from '../testing/served.tsx';
import { PolicySection } from './policy-section.tsx';
import { FieldsSection } from './settings-part.tsx';

const POLICY = {
  place: '/etc/crewagent/policy.json',
  organisation: 'ACME',
  contact: 'it@acme.example',
  signedBy: '0123-4567',
  rules: [
    { rule: 'models.names', value: '' },
    { rule: 'doors.agents', value: 'claude-code, zed*' },
    { rule: 'limits.maxTurns', value: '40', setting: 'limits.maxTurns' },
  ],
};

const show = (policy: object) =>
  renderServed(
    {
      settings: {
        show: async () => ({
          settings: settingsSchema.parse({}),
          decided: {},
          defaults: settingsSchema.parse({}),
          policies: [policy],
        }),
      },
    },
    <main>
      <h1>Settings</h1>
      <PolicySection />
      <FieldsSection section="engine" />
    </main>,
  );

describe('the policy of an organisation', () => {
  it.each(['light', 'dark'] as const)(
    '[O33] shows its rules, and each setting that it limits with the rule: %s',
    async (theme) => {
      useAppearance.setState({ theme });
      await show(POLICY);
      await expect.element(page.getByRole('heading', { name: 'ACME' })).toBeVisible();
      await expect.element(page.getByText('Nothing is allowed')).toBeVisible();
      await expect.element(page.getByText('claude-code, zed*')).toHaveTextContent('Others are refused.');
      await expect.element(page.getByText(/Ask it@acme\.example · Signed by 0123-4567/)).toBeVisible();
      await expect
        .element(page.getByText('Your organisation allows at most 40 (rule “limits.maxTurns”).'))
        .toBeVisible();
      expect(await findIssues()).toEqual([]);
    },
  );

  it('[O33] says why it cannot be used, in Chinese too', async () => {
    useAppearance.setState({ language: 'zh-CN' });
    await show({ place: POLICY.place, problem: 'It is not JSON.' });
    await expect.element(page.getByRole('alert')).toHaveTextContent('It is not JSON.');
    await expect.element(page.getByRole('heading', { name: '本机的组织策略' })).toBeVisible();
  });
});
