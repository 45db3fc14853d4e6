/** How this page looks, speaks and sounds; kept by this browser, needs no server. */

import { LANGUAGES, type Language } from '@crewagent/protocol/languages';
import type { ComponentProps, ReactNode } from 'react';
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
import { playSound, setWantsSound, useNews } from '../state/news.ts';
import { RadioGroup } from '../ui/forms/radio-group.tsx';
import { Switch } from '../ui/forms/switch.tsx';
import { SettingsPart } from './settings-part.tsx';

interface Group extends Pick<ComponentProps<typeof RadioGroup>, 'label' | 'value' | 'options' | 'onChange'> {
  /** The same in every language, so that choosing another keeps the focus. */
  readonly name: string;
  readonly hint?: string;
}

export function AppearanceSection() {
  const { t } = useTranslation();
  const { theme, density, fontSize, detail, language } = useAppearance();
  const groups: readonly Group[] = [
    {
      name: 'theme',
      label: t('appearance.theme'),
      value: theme,
      options: THEMES.map((value) => ({ value, label: t(`appearance.themes.${value}`) })),
      onChange: (value: string) => useAppearance.setState({ theme: value as Theme }),
    },
    {
      name: 'density',
      label: t('appearance.density'),
      value: density,
      options: DENSITIES.map((value) => ({ value, label: t(`appearance.densities.${value}`) })),
      onChange: (value: string) => useAppearance.setState({ density: value as Density }),
    },
    {
      name: 'fontSize',
      label: t('appearance.fontSize'),
      value: fontSize,
      options: FONT_SIZES.map((value) => ({ value, label: t(`appearance.fontSizes.${value}`) })),
      onChange: (value: string) => useAppearance.setState({ fontSize: value as FontSize }),
    },
    {
      name: 'detail',
      label: t('appearance.detail'),
      value: detail,
      hint: t(`appearance.details.${detail}.text`),
      options: DETAILS.map((value) => ({ value, label: t(`appearance.details.${value}.name`) })),
      onChange: (value: string) => useAppearance.setState({ detail: value as Detail }),
    },
    {
      name: 'language',
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
      {groups.map(({ name, label, hint, ...group }) => (
        <Row key={name} label={label} hint={hint}>
          <RadioGroup label={label} layout="line" {...group} />
        </Row>
      ))}
      <SoundRow />
    </SettingsPart>
  );
}

function SoundRow() {
  const { t } = useTranslation();
  const { wantsSound } = useNews();
  return (
    <Row label={t('appearance.sound')} hint={t('appearance.soundHint')}>
      <span className="justify-self-start px-2 py-1.5 sm:justify-self-end">
        <Switch
          label={<span className="sr-only">{t('appearance.sound')}</span>}
          isOn={wantsSound}
          onChange={(isOn) => {
            setWantsSound(isOn);
            // What it sounds like.
            if (isOn) playSound();
          }}
        />
      </span>
    </Row>
  );
}

interface RowProps {
  readonly label: string;
  readonly hint: string | undefined;
  readonly children: ReactNode;
}

function Row({ label, hint, children }: RowProps) {
  return (
    <div
      data-setting={label}
      className="grid items-start gap-x-8 gap-y-1 border-b py-3 last:border-b-0 sm:grid-cols-[minmax(0,1fr)_auto]"
    >
      <div className="pt-1.5">
        <p className="font-medium" aria-hidden="true">
          {label}
        </p>
        {hint === undefined ? undefined : <p className="mt-0.5 text-sm text-ink-faint">{hint}</p>}
      </div>
      {children}
    </div>
  );
}

/** Each language has its name in that language, so that people who do not read the current one can find theirs. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', 'zh-CN': '简体中文' };
