/** Appearance and language of the page; stored in this browser, works without a server. */

import { LANGUAGES, type Language } from '../i18n/i18n.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import {
  DENSITIES,
  DETAILS,
  type Density,
  type Detail,
  FONT_SIZES,
  type FontSize,
  THEMES,
  type Theme,
  useAppearance,
} from '../state/appearance.ts';
import { RadioGroup } from '../ui/forms/radio-group.tsx';
import { SettingsPart } from './settings-part.tsx';

export function AppearanceSection() {
  const { t } = useTranslation();
  const { theme, density, fontSize, detail, language } = useAppearance();
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
      label: t('appearance.fontSize'),
      value: fontSize,
      options: FONT_SIZES.map((value) => ({ value, label: t(`appearance.fontSizes.${value}`) })),
      onChange: (value: string) => useAppearance.setState({ fontSize: value as FontSize }),
    },
    {
      label: t('appearance.detail'),
      value: detail,
      options: DETAILS.map((value) => ({
        value,
        label: t(`appearance.details.${value}.name`),
        hint: t(`appearance.details.${value}.text`),
      })),
      onChange: (value: string) => useAppearance.setState({ detail: value as Detail }),
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
    <SettingsPart title={t('appearance.title')} text={t('appearance.text')}>
      {groups.map(({ label, ...group }) => (
        <div
          key={label}
          className="grid gap-2 border-b py-4 last:border-b-0 sm:grid-cols-[minmax(0,1fr)_15rem]"
        >
          <p className="pt-1.5 font-medium" aria-hidden="true">
            {label}
          </p>
          <RadioGroup label={label} {...group} />
        </div>
      ))}
    </SettingsPart>
  );
}

/** Each in its own language, so that its speakers can read it. */
const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', 'zh-CN': '简体中文' };
