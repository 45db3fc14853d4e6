/** Settings that this page keeps by itself: how it looks and speaks. */
import { useTranslation } from 'react-i18next';
import { LANGUAGES, type Language } from '../i18n/i18n.ts';
import { DENSITIES, type Density, THEMES, type Theme, useAppearance } from '../state/appearance.ts';
import { RadioGroup } from '../ui/radio-group.tsx';

export function SettingsScreen() {
  const { t } = useTranslation();
  const { theme, density, language } = useAppearance();
  const groups = [
    {
      label: t('appearance.theme'),
      value: theme,
      options: THEMES.map((value) => ({ value, label: t(`appearance.themes.${value}`) })),
      onChange: (value: string) => useAppearance.setState({ theme: value as Theme }),
    },
    {
      label: t('appearance.density'),
      value: density,
      options: DENSITIES.map((value) => ({ value, label: t(`appearance.densities.${value}`) })),
      onChange: (value: string) => useAppearance.setState({ density: value as Density }),
    },
    {
      label: t('appearance.language'),
      value: language ?? 'system',
      options: [
        { value: 'system', label: t('appearance.systemLanguage') },
        ...LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })),
      ],
      onChange: (value: string) =>
        useAppearance.setState({ language: value === 'system' ? undefined : (value as Language) }),
    },
  ];
  return (
    <div className="h-full overflow-auto bg-surface">
      <div className="mx-auto max-w-2xl px-6 py-10">
        <h1 className="text-xl font-semibold">{t('rail.settings')}</h1>
        <section aria-labelledby="appearance" className="mt-8">
          <h2 id="appearance" className="border-b pb-2 text-lg font-semibold">
            {t('appearance.title')}
          </h2>
          {groups.map(({ label, ...group }) => (
            <div key={label} className="grid gap-2 border-b py-4 sm:grid-cols-[12rem_1fr]">
              <p className="pt-1.5 font-medium" aria-hidden="true">
                {label}
              </p>
              <RadioGroup label={label} {...group} />
            </div>
          ))}
        </section>
      </div>
    </div>
  );
}

/** Each in its own language, so that whoever needs it can read it. */
const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', 'zh-CN': '简体中文' };
